import type { Column } from "../../../meta/strategy.ts";
import { column, integer, labelsText } from "../../printing.ts";
import { selectorColumn, templateColumns } from "../printers.ts";
import type { DaemonSet } from "./schema.ts";

export const daemonSetColumns: readonly Column<DaemonSet>[] = [
  integer("Desired", "On how many nodes a Pod should be.", ({ status }) => status.desiredNumberScheduled),
  integer("Current", "On how many nodes a Pod is.", ({ status }) => status.currentNumberScheduled),
  integer("Ready", "On how many nodes a Pod is ready.", ({ status }) => status.numberReady),
  integer(
    "Up-to-date",
    "On how many nodes the Pod is of the present template.",
    ({ status }) => status.updatedNumberScheduled ?? 0,
  ),
  integer(
    "Available",
    "On how many nodes a Pod has been ready for long enough.",
    ({ status }) => status.numberAvailable ?? 0,
  ),
  column("Node Selector", "Labels that nodes must have.", ({ spec }) =>
    labelsText(spec.template.spec.nodeSelector),
  ),
  ...templateColumns,
  selectorColumn,
];
