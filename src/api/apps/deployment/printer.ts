import type { Column } from "../../../meta/strategy.ts";
import { column } from "../../printing.ts";
import { readyColumn, selectorColumn, templateColumns } from "../printers.ts";
import type { Deployment } from "./schema.ts";

export const deploymentColumns: readonly Column<Deployment>[] = [
  readyColumn,
  column(
    "Up-to-date",
    "The number of Pods of the current template.",
    ({ status }) => status.updatedReplicas ?? 0,
  ),
  column("Available", "The number of available Pods.", ({ status }) => status.availableReplicas ?? 0),
  ...templateColumns,
  selectorColumn,
];
