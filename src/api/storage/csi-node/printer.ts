import type { Column } from "../../../meta/strategy.ts";
import { integer } from "../../printing.ts";
import type { CSINode } from "./schema.ts";

export const csiNodeColumns: readonly Column<CSINode>[] = [
  integer("Drivers", "The number of drivers.", ({ spec }) => spec.drivers.length),
];
