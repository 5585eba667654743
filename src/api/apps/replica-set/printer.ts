import type { Column } from "../../../meta/strategy.ts";
import { integer } from "../../printing.ts";
import { selectorColumn, templateColumns } from "../printers.ts";
import type { ReplicaSet } from "./schema.ts";

export const replicaSetColumns: readonly Column<ReplicaSet>[] = [
  integer("Desired", "How many Pods are wanted.", ({ spec }) => spec.replicas ?? 0),
  integer("Current", "How many Pods there are.", ({ status }) => status.replicas),
  integer("Ready", "How many Pods are ready.", ({ status }) => status.readyReplicas ?? 0),
  ...templateColumns,
  selectorColumn,
];
