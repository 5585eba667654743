import type { Column } from "../../../meta/strategy.ts";
import { column, containerColumns, integer, labelsText, wide } from "../../printing.ts";
import type { ReplicationController } from "./schema.ts";

export const replicationControllerColumns: readonly Column<ReplicationController>[] = [
  integer("Desired", "The desired number of Pods.", ({ spec }) => spec.replicas ?? 0),
  integer("Current", "The current number of Pods.", ({ status }) => status.replicas),
  integer("Ready", "The number of ready Pods.", ({ status }) => status.readyReplicas ?? 0),
  ...containerColumns<ReplicationController>(({ spec }) => spec.template?.spec.containers ?? []),
  wide(column("Selector", "The labels of the Pods.", ({ spec }) => labelsText(spec.selector))),
];
