import { column, containerColumns, selectorText, wide } from "../printing.ts";
import type { DaemonSet } from "./daemon-set/schema.ts";
import type { Deployment } from "./deployment/schema.ts";
import type { ReplicaSet } from "./replica-set/schema.ts";
import type { StatefulSet } from "./stateful-set/schema.ts";

type Workload = Deployment | ReplicaSet | StatefulSet | DaemonSet;

export const templateColumns = containerColumns<Workload>(({ spec }) => spec.template.spec.containers);

export const selectorColumn = wide(
  column<Workload>("Selector", "The label selector of the Pods.", ({ spec }) => selectorText(spec.selector)),
);

export const readyColumn = column<Deployment | StatefulSet>(
  "Ready",
  "The number of ready Pods, and the desired number.",
  ({ spec, status }) => `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
);
