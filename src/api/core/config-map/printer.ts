import type { Column } from "../../../meta/strategy.ts";
import { column } from "../../printing.ts";
import { size } from "../../printing.ts";
import type { ConfigMap } from "./schema.ts";

export const configMapColumns: readonly Column<ConfigMap>[] = [
  column("Data", "The number of keys.", ({ data, binaryData }) => size(data) + size(binaryData)),
];
