import type { StatefulSet } from "../../api/apps/stateful-set/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import type { PodTemplateSpec } from "../../api/core/pod/spec.ts";
import type { InputOf } from "../../meta/kind.ts";
import type { persistentVolumeClaims } from "../../api/core/persistent-volume-claim/schema.ts";
import type { pods } from "../../api/core/pod/schema.ts";
import { controllerRef } from "../ownership/controller-ref.ts";

/** The revision that a Pod was made from, by the name of its ControllerRevision. */
export const revisionLabel = "controller-revision-hash";
const podNameLabel = "statefulset.kubernetes.io/pod-name";
const podIndexLabel = "apps.kubernetes.io/pod-index";

type ClaimTemplate = NonNullable<StatefulSet["spec"]["volumeClaimTemplates"]>[number];

const ordinalName = /^(.*)-(\d+)$/;

/** The ordinal of a Pod by its name; -1 for a Pod that is not named after the StatefulSet. */
export function ordinalOf({ metadata }: Pod, set: StatefulSet): number {
  const [, parent, ordinal] = ordinalName.exec(metadata.name ?? "") ?? [];
  return parent === set.metadata.name ? Number(ordinal) : -1;
}

export function podName(set: StatefulSet, ordinal: number): string {
  return `${set.metadata.name}-${ordinal}`;
}

export function claimName({ metadata }: ClaimTemplate, set: StatefulSet, ordinal: number): string {
  return `${metadata.name}-${podName(set, ordinal)}`;
}

export function revisionOf({ metadata }: Pod): string | undefined {
  return metadata.labels?.[revisionLabel];
}

/** The Pod of an ordinal, from the template of a revision (upstream `newStatefulSetPod`). */
export function podFor(
  set: StatefulSet,
  { metadata, spec }: PodTemplateSpec,
  revision: string,
  ordinal: number,
): InputOf<typeof pods> {
  const { labels, annotations, finalizers } = metadata;
  return {
    metadata: {
      name: podName(set, ordinal),
      namespace: set.metadata.namespace,
      annotations,
      finalizers,
      ownerReferences: [controllerRef(set)],
      labels: { ...labels, ...identityLabels(set, ordinal), [revisionLabel]: revision },
    },
    spec: {
      ...spec,
      hostname: podName(set, ordinal),
      subdomain: set.spec.serviceName,
      volumes: volumesOf(set, spec.volumes, ordinal),
    },
  };
}

function identityLabels(set: StatefulSet, ordinal: number): Readonly<Record<string, string>> {
  return { [podNameLabel]: podName(set, ordinal), [podIndexLabel]: String(ordinal) };
}

/** The volumes of the template; those of claims take the place of others with the same name. */
function volumesOf(set: StatefulSet, volumes: PodTemplateSpec["spec"]["volumes"], ordinal: number) {
  const claimed = (set.spec.volumeClaimTemplates ?? []).map((template) => ({
    name: template.metadata.name ?? "",
    persistentVolumeClaim: { claimName: claimName(template, set, ordinal), readOnly: false },
  }));
  const names = new Set(claimed.map(({ name }) => name));
  return [...claimed, ...(volumes ?? []).filter(({ name }) => !names.has(name))];
}

/** Reports whether the Pod has the labels and the claims that its ordinal demands. */
export function isConsistent(pod: Pod, set: StatefulSet): boolean {
  const ordinal = ordinalOf(pod, set);
  const { labels = {} } = pod.metadata;
  const hasLabels = Object.entries(identityLabels(set, ordinal)).every(
    ([key, value]) => labels[key] === value,
  );
  const claims = new Map(
    (pod.spec.volumes ?? []).map((one) => [one.name, one.persistentVolumeClaim?.claimName]),
  );
  return (
    hasLabels &&
    (set.spec.volumeClaimTemplates ?? []).every(
      (template) => claims.get(template.metadata.name ?? "") === claimName(template, set, ordinal),
    )
  );
}

/** The Pod with the labels that its ordinal demands. Its volumes cannot change. */
export function withIdentity(pod: Pod, set: StatefulSet): Pod {
  const labels = { ...pod.metadata.labels, ...identityLabels(set, ordinalOf(pod, set)) };
  return { ...pod, metadata: { ...pod.metadata, labels } };
}

/** The claims of an ordinal, as they are to be created. */
export function claimsFor(
  set: StatefulSet,
  ordinal: number,
): readonly InputOf<typeof persistentVolumeClaims>[] {
  return (set.spec.volumeClaimTemplates ?? []).map((template) => ({
    metadata: {
      ...template.metadata,
      name: claimName(template, set, ordinal),
      namespace: set.metadata.namespace,
      labels: { ...template.metadata.labels, ...set.spec.selector?.matchLabels },
    },
    spec: template.spec,
  }));
}
