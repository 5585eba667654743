import type { Column } from "../../../meta/strategy.ts";
import { column } from "../../printing.ts";
import { size } from "../../printing.ts";
import type { Secret } from "./schema.ts";

export const secretColumns: readonly Column<Secret>[] = [
  column("Type", "The type of the data.", ({ type }) => type ?? ""),
  column("Data", "The number of keys.", ({ data }) => size(data)),
];
