import type { Column } from "../../meta/strategy.ts";
import { column, containerColumns, integer, labelsText, selectorText, wide } from "../printing.ts";
import type { ControllerRevision } from "./v1/controller-revision.ts";
import type { DaemonSet } from "./v1/daemon-set.ts";
import type { Deployment } from "./v1/deployment.ts";
import type { ReplicaSet } from "./v1/replica-set.ts";
import type { StatefulSet } from "./v1/stateful-set.ts";

type Workload = Deployment | ReplicaSet | StatefulSet | DaemonSet;

const templateColumns = containerColumns<Workload>(({ spec }) => spec.template.spec.containers);

const selectorColumn = wide(
  column<Workload>("Selector", "Selects the Pods.", ({ spec }) => selectorText(spec.selector)),
);

const readyColumn = column<Deployment | StatefulSet>(
  "Ready",
  "How many Pods are ready, of how many.",
  ({ spec, status }) => `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
);

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

export const replicaSetColumns: readonly Column<ReplicaSet>[] = [
  integer("Desired", "How many Pods are wanted.", ({ spec }) => spec.replicas ?? 0),
  integer("Current", "How many Pods there are.", ({ status }) => status.replicas),
  integer("Ready", "How many Pods are ready.", ({ status }) => status.readyReplicas ?? 0),
  ...templateColumns,
  selectorColumn,
];

export const statefulSetColumns: readonly Column<StatefulSet>[] = [readyColumn, ...templateColumns];

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

function controllerText({ metadata }: ControllerRevision): string {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined) return "<none>";
  const [group, version] = owner.apiVersion.split("/");
  const kind = owner.kind.toLowerCase();
  return version === undefined ? `${kind}/${owner.name}` : `${kind}.${group}/${owner.name}`;
}

export const controllerRevisionColumns: readonly Column<ControllerRevision>[] = [
  column("Controller", "Whose state it is.", controllerText),
  column("Revision", "The state's number.", ({ revision }) => revision),
];
