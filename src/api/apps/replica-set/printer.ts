import type { Column } from "../../../meta/strategy.ts";
import { integer } from "../../printing.ts";
import { selectorColumn, templateColumns } from "../printers.ts";
import type { ReplicaSet } from "./schema.ts";

export const replicaSetColumns: readonly Column<ReplicaSet>[] = [
  integer("Desired", "The desired number of Pods.", ({ spec }) => spec.replicas ?? 0),
  integer("Current", "The current number of Pods.", ({ status }) => status.replicas),
  integer("Ready", "The number of ready Pods.", ({ status }) => status.readyReplicas ?? 0),
  ...templateColumns,
  selectorColumn,
];
