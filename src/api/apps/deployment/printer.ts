import type { Column } from "../../../meta/strategy.ts";
import { column } from "../../printing.ts";
import { readyColumn, selectorColumn, templateColumns } from "../printers.ts";
import type { Deployment } from "./schema.ts";

export const deploymentColumns: readonly Column<Deployment>[] = [
  readyColumn,
  column(
    "Up-to-date",
    "How many Pods are of the present template.",
    ({ status }) => status.updatedReplicas ?? 0,
  ),
  column(
    "Available",
    "How many Pods have been ready for long enough.",
    ({ status }) => status.availableReplicas ?? 0,
  ),
  ...templateColumns,
  selectorColumn,
];
