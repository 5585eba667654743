import { root } from "../../meta/field-error.ts";
import type { Draft } from "../../meta/schema.ts";
import { type Registration, serve, type Strategy, type StrategyContext } from "../../meta/strategy.ts";
import { labelProblems } from "../../meta/validation/dns.ts";
import { validateImmutable } from "../../meta/validation/immutable.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { dropDisabledFields, templateHooks } from "../core/pod/dropped-fields.ts";
import { isChanged, replicasWarnings, templateWarnings } from "../core/pod/warnings/pod.ts";
import { claimSpecWarnings } from "../core/persistent-volume-claim/warnings.ts";
import { defaultDaemonSet, defaultDeployment, defaultReplicaSet, defaultStatefulSet } from "./defaults.ts";
import {
  controllerRevisionColumns,
  daemonSetColumns,
  deploymentColumns,
  replicaSetColumns,
  statefulSetColumns,
} from "./printers.ts";
import { type ControllerRevision, controllerRevisions } from "./v1/controller-revision.ts";
import { type DaemonSet, daemonSets } from "./v1/daemon-set.ts";
import { type Deployment, deployments } from "./v1/deployment.ts";
import { type ReplicaSet, replicaSets } from "./v1/replica-set.ts";
import { type StatefulSet, statefulSets } from "./v1/stateful-set.ts";
import {
  validateControllerRevision,
  validateDeployment,
  validateDeploymentStatus,
  validateReplicaSet,
  validateReplicaSetStatus,
  validateSameSelector,
} from "./validation.ts";
import {
  validateDaemonSet,
  validateDaemonSetStatus,
  validateServiceName,
  validateStatefulSet,
  validateStatefulSetStatus,
  validateStatefulSetUpdate,
} from "./validation-sets.ts";

const deploymentStrategy: Strategy<Deployment> = {
  ...templateHooks,
  setDefaults: defaultDeployment,
  prepareForUpdate: prepareDeployment,
  validate: validateDeployment,
  validateUpdate: validateSameSelector,
  validateStatusUpdate: validateDeploymentStatus,
  warnings: replicasWarnings,
  generation: true,
  columns: deploymentColumns,
};

/** A Deployment hands its annotations on to ReplicaSets, so a change of them counts as well. */
function prepareDeployment(
  draft: Draft<Deployment>,
  old: Deployment,
  { subresource }: StrategyContext,
): void {
  templateHooks.prepareForUpdate(draft, old);
  const { metadata } = draft;
  if (subresource !== "" || deepEqual(metadata.annotations, old.metadata.annotations)) return;
  metadata.generation = (old.metadata.generation ?? 0) + 1;
}

const replicaSetStrategy: Strategy<ReplicaSet> = {
  ...templateHooks,
  setDefaults: defaultReplicaSet,
  validate: validateReplicaSet,
  validateUpdate: validateSameSelector,
  validateStatusUpdate: validateReplicaSetStatus,
  warnings: replicasWarnings,
  generation: true,
  columns: replicaSetColumns,
};

const statefulSetStrategy: Strategy<StatefulSet> = {
  setDefaults: defaultStatefulSet,
  prepareForCreate: (draft) => prepareStatefulSet(draft, undefined),
  prepareForUpdate: prepareStatefulSet,
  validate: validateStatefulSet,
  validateName: labelProblems,
  validateCreate: validateServiceName,
  validateUpdate: validateStatefulSetUpdate,
  validateStatusUpdate: validateStatefulSetStatus,
  warnings: statefulSetWarnings,
  generation: true,
  columns: statefulSetColumns,
};

/** How many Pods may be missing is a feature that is off by default. */
function prepareStatefulSet(draft: Draft<StatefulSet>, old: StatefulSet | undefined): void {
  if (old?.spec.updateStrategy.rollingUpdate?.maxUnavailable === undefined) {
    delete draft.spec.updateStrategy.rollingUpdate?.maxUnavailable;
  }
  dropDisabledFields(draft.spec.template.spec, old?.spec.template.spec);
}

function statefulSetWarnings(object: StatefulSet, old: StatefulSet | undefined): readonly string[] {
  if (!isChanged(object, old)) return [];
  const { template, volumeClaimTemplates = [], revisionHistoryLimit = 0 } = object.spec;
  const claims = root.child("spec", "volumeClaimTemplates");
  return [
    ...templateWarnings(template, root.child("spec", "template")),
    ...volumeClaimTemplates.flatMap(({ spec }, i) =>
      claimSpecWarnings(spec, old === undefined ? claims.index(i) : claims.index(i).child("Spec")),
    ),
    ...(revisionHistoryLimit < 0
      ? [
          "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended",
        ]
      : []),
  ];
}

/** Counts changes of the template: a field of the API's first version, kept as an annotation. */
const templateGeneration = "deprecated.daemonset.template.generation";

const daemonSetStrategy: Strategy<DaemonSet> = {
  setDefaults: defaultDaemonSet,
  prepareForCreate(draft) {
    templateHooks.prepareForCreate(draft);
    const { metadata } = draft;
    metadata.annotations = { ...metadata.annotations, [templateGeneration]: "1" };
  },
  prepareForUpdate(draft, old, { subresource }) {
    templateHooks.prepareForUpdate(draft, old);
    const { metadata, spec } = draft;
    if (subresource !== "") return;
    const before = Number(old.metadata.annotations?.[templateGeneration] ?? 0);
    const count = deepEqual(spec.template, old.spec.template) ? before : before + 1;
    metadata.annotations = { ...metadata.annotations, [templateGeneration]: String(count) };
  },
  validate: validateDaemonSet,
  validateUpdate: validateSameSelector,
  validateStatusUpdate: validateDaemonSetStatus,
  warnings: (object, old) =>
    deepEqual(object.spec.template, old?.spec.template)
      ? []
      : templateWarnings(object.spec.template, root.child("spec", "template")),
  generation: true,
  columns: daemonSetColumns,
};

const controllerRevisionStrategy: Strategy<ControllerRevision> = {
  validate: validateControllerRevision,
  validateUpdate: ({ data }, old) => validateImmutable(data, old.data, root.child("data")),
  columns: controllerRevisionColumns,
};

/** The group `apps`. */
export const appsRegistrations: readonly Registration[] = [
  serve(controllerRevisions, controllerRevisionStrategy),
  serve(daemonSets, daemonSetStrategy),
  serve(deployments, deploymentStrategy),
  serve(replicaSets, replicaSetStrategy),
  serve(statefulSets, statefulSetStrategy),
];
