import type { Draft } from "../../../meta/schema.ts";
import type { Strategy, StrategyContext } from "../../../meta/strategy.ts";
import type { LabelSelector } from "../../../meta/v1.ts";
import { defaultPod } from "./defaults.ts";
import { podColumns } from "./printer.ts";
import type { Pod } from "./schema.ts";
import { validatePod, validatePodCreate } from "./validation/pod.ts";
import { validatePodResize } from "./validation/resize.ts";
import {
  validateEphemeralContainersUpdate,
  validatePodStatusUpdate,
  validatePodUpdate,
} from "./validation/update.ts";
import { podNameWarnings } from "./warnings/names.ts";
import { podWarnings } from "./warnings/pod.ts";
import { dropDisabledFields, dropDisabledStatus } from "./dropped-fields.ts";
import { qosClass } from "./qos.ts";
import { withSizes } from "./resize.ts";

export const podStrategy: Strategy<Pod> = {
  setDefaults: defaultPod,
  prepareForCreate,
  prepareForUpdate,
  validate: validatePod,
  validateCreate: validatePodCreate,
  validateUpdate: validatePodUpdate,
  parts: {
    status: { keepsMetadata: ["ownerReferences"], validate: validatePodStatusUpdate },
    ephemeralcontainers: {
      write: ({ spec: { ephemeralContainers } }, { spec: { ephemeralContainers: _, ...kept } }) => ({
        spec: { ...kept, ...(ephemeralContainers !== undefined && { ephemeralContainers }) },
      }),
      keepsMetadata: "all",
      *validate(pod, old) {
        yield* validatePod(pod);
        yield* validateEphemeralContainersUpdate(pod, old);
      },
    },
    resize: {
      write: ({ spec }, old) => ({ spec: withSizes(old.spec, spec) }),
      keepsMetadata: "all",
      validate: validatePodResize,
    },
  },
  warnings,
  deleteGracePeriod,
  generation: true,
  returnDeletedObject: true,
  columns: podColumns,
  watchIndex: "spec.nodeName",
  selectableFields: {
    "spec.nodeName": ({ spec }) => spec.nodeName ?? "",
    "spec.restartPolicy": ({ spec }) => spec.restartPolicy ?? "",
    "spec.schedulerName": ({ spec }) => spec.schedulerName ?? "",
    "spec.serviceAccountName": ({ spec }) => spec.serviceAccountName ?? "",
    "spec.hostNetwork": ({ spec }) => String(spec.hostNetwork ?? false),
    "status.phase": ({ status }) => status.phase ?? "",
    "status.podIP": ({ status }) => status.podIPs?.[0]?.ip ?? "",
    // Upstream accepts this selector, but it matches no Pod.
    "status.podIPs": () => "",
    "status.nominatedNodeName": ({ status }) => status.nominatedNodeName ?? "",
  },
};

function prepareForCreate(draft: Draft<Pod>): void {
  dropDisabledFields(draft.spec);
  draft.status = { phase: "Pending", qosClass: qosClass(draft.spec) };
  if (draft.spec.schedulingGates !== undefined) {
    draft.status.conditions = [
      {
        type: "PodScheduled",
        status: "False",
        reason: "SchedulingGated",
        message: "Scheduling is blocked due to non-empty scheduling gates",
      },
    ];
  }
  mergeLabelKeys(draft);
}

interface KeyedTerm {
  readonly labelSelector?: Draft<LabelSelector>;
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
}

/**
 * Adds the values of `matchLabelKeys` to the selectors of affinity terms and spread constraints, on create
 * only.
 */
function mergeLabelKeys({ metadata: { labels = {} }, spec }: Draft<Pod>): void {
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  const terms: KeyedTerm[] = [...(spec.topologySpreadConstraints ?? [])];
  for (const affinity of [podAffinity, podAntiAffinity]) {
    const wishes = affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    terms.push(...wishes.map(({ podAffinityTerm }) => podAffinityTerm));
    terms.push(...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []));
  }
  for (const { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] } of terms) {
    if (labelSelector === undefined) continue;
    addExpressions(labelSelector, "In", matchLabelKeys, labels);
    addExpressions(labelSelector, "NotIn", mismatchLabelKeys, labels);
  }
}

function addExpressions(
  selector: Draft<LabelSelector>,
  operator: string,
  keys: readonly string[],
  labels: Readonly<Record<string, string>>,
): void {
  for (const key of keys) {
    const value = labels[key];
    if (value === undefined) continue;
    selector.matchExpressions ??= [];
    selector.matchExpressions.push({ key, operator, values: [value] });
  }
}

function prepareForUpdate(draft: Draft<Pod>, old: Pod, { subresource }: StrategyContext): void {
  dropDisabledFields(draft.spec, old.spec);
  if (subresource !== "status") return;
  const { status } = draft;
  dropDisabledStatus(status, old.status);
  if (old.status.qosClass !== undefined) status.qosClass ??= old.status.qosClass;
  if (old.status.observedGeneration !== undefined) {
    status.observedGeneration ??= old.status.observedGeneration;
  }
  // A writer that does not know observed generations must not remove them.
  const known = new Map(old.status.conditions?.toReversed().map((condition) => [condition.type, condition]));
  for (const condition of status.conditions ?? []) {
    const before = known.get(condition.type);
    if (before?.observedGeneration !== undefined) {
      condition.observedGeneration ??= before.observedGeneration;
    }
  }
}

/** Returns 0 if no container runs. Replaces a negative period by the shortest one. */
function deleteGracePeriod({ spec, status }: Pod, requested: number | undefined): number {
  if (spec.nodeName === undefined || status.phase === "Failed" || status.phase === "Succeeded") return 0;
  const period = requested ?? spec.terminationGracePeriodSeconds ?? 0;
  return period < 0 ? 1 : period;
}

function warnings(pod: Pod, old: Pod | undefined): readonly string[] {
  if (old !== undefined) return [];
  return [...podNameWarnings(pod.metadata.name, "the Pod's hostname"), ...podWarnings(pod)];
}
