import type { Column } from "../../../meta/strategy.ts";
import { column, integer, labelsText } from "../../printing.ts";
import { selectorColumn, templateColumns } from "../printers.ts";
import type { DaemonSet } from "./schema.ts";

export const daemonSetColumns: readonly Column<DaemonSet>[] = [
  integer(
    "Desired",
    "The number of nodes that should run a daemon Pod.",
    ({ status }) => status.desiredNumberScheduled,
  ),
  integer(
    "Current",
    "The number of nodes that run a daemon Pod and should.",
    ({ status }) => status.currentNumberScheduled,
  ),
  integer("Ready", "The number of nodes with a ready Pod.", ({ status }) => status.numberReady),
  integer(
    "Up-to-date",
    "The number of nodes whose Pod has the current template.",
    ({ status }) => status.updatedNumberScheduled ?? 0,
  ),
  integer(
    "Available",
    "The number of nodes with an available Pod.",
    ({ status }) => status.numberAvailable ?? 0,
  ),
  column("Node Selector", "The node selector.", ({ spec }) => labelsText(spec.template.spec.nodeSelector)),
  ...templateColumns,
  selectorColumn,
];
