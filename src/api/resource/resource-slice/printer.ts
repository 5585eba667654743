import type { Column } from "../../../meta/strategy.ts";
import { column } from "../../printing.ts";
import type { ResourceSlice } from "./schema.ts";

export const sliceColumns: readonly Column<ResourceSlice>[] = [
  column("Node", "The node that has the devices.", ({ spec }) => spec.nodeName ?? ""),
  column("Driver", "The devices' driver.", ({ spec }) => spec.driver),
  column("Pool", "The devices' pool.", ({ spec }) => spec.pool.name),
];
