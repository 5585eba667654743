import type { Container } from "../../api/core/pod/container.ts";
import type { Plugin } from "../framework.ts";
import type { Snapshot } from "../snapshot.ts";
import type { Pod } from "../../api/core/pod/schema.ts";

/** Labels that differ from Pod to Pod of one controller. */
const ownLabels: readonly string[] = [
  "apps.kubernetes.io/pod-index",
  "batch.kubernetes.io/job-completion-index",
  "statefulset.kubernetes.io/pod-name",
];

/**
 * The scheduling class of a Pod: Pods with equal keys get equal answers from all plugins. Labels that are the Pod's own
 * only count where a selector looks at them: its own rules, or a selector of the cluster. What matters of claims is in the
 * keys of the plugins that read them: the names differ from Pod to Pod.
 */
export function classKey(pod: Pod, keyed: readonly Plugin[], { selectedKeys, owners }: Snapshot): string {
  const { metadata, spec } = pod;
  const rules = JSON.stringify([spec.affinity, spec.topologySpreadConstraints]);
  const isSeen = (key: string) => !ownLabels.includes(key) || selectedKeys.has(key) || rules.includes(key);
  const labels = Object.entries(metadata.labels ?? {}).filter(([key]) => isSeen(key));
  const isSpreadByDefault = (spec.topologySpreadConstraints ?? []).length === 0;
  return JSON.stringify([
    rules,
    metadata.namespace,
    labels,
    isSpreadByDefault ? owners.selectorFor(pod)?.toString() : undefined,
    spec.nodeSelector,
    spec.tolerations,
    spec.priority,
    spec.nodeName,
    spec.overhead,
    spec.resources,
    spec.preemptionPolicy,
    spec.volumes?.filter(isPlaced),
    spec.containers.map(room),
    spec.initContainers?.map(room),
    ...keyed.map((plugin) => plugin.keyOf?.(pod)),
  ]);
}

/** The parts of a container that take something of a node. */
function room({ image, ports, resources, restartPolicy }: Container) {
  const hostPorts = ports?.filter(({ hostPort = 0 }) => hostPort > 0);
  return [image, resources.requests, hostPorts?.length === 0 ? undefined : hostPorts, restartPolicy];
}

type Volume = NonNullable<Pod["spec"]["volumes"]>[number];

/** Volumes that every node can provide do not matter; the names of projected ones differ from Pod to Pod. */
function isPlaced({
  configMap,
  secret,
  projected,
  emptyDir,
  downwardAPI,
  hostPath,
  persistentVolumeClaim: claim,
  ephemeral,
}: Volume): boolean {
  const elsewhere = [configMap, secret, projected, emptyDir, downwardAPI, hostPath, claim, ephemeral];
  return elsewhere.every((one) => one === undefined);
}
