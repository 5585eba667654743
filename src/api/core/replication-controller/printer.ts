import type { Column } from "../../../meta/strategy.ts";
import { column, containerColumns, integer, labelsText, wide } from "../../printing.ts";
import type { ReplicationController } from "./schema.ts";

export const replicationControllerColumns: readonly Column<ReplicationController>[] = [
  integer("Desired", "How many Pods are wanted.", ({ spec }) => spec.replicas ?? 0),
  integer("Current", "How many Pods there are.", ({ status }) => status.replicas),
  integer("Ready", "How many Pods are ready.", ({ status }) => status.readyReplicas ?? 0),
  ...containerColumns<ReplicationController>(({ spec }) => spec.template?.spec.containers ?? []),
  wide(column("Selector", "Labels of the Pods.", ({ spec }) => labelsText(spec.selector))),
];
