import type { Column } from "../../../meta/strategy.ts";
import { column } from "../../printing.ts";
import { size } from "../../printing.ts";
import type { Secret } from "./schema.ts";

export const secretColumns: readonly Column<Secret>[] = [
  column("Type", "What the keys mean.", ({ type }) => type ?? ""),
  column("Data", "How many keys there are.", ({ data }) => size(data)),
];
