import type { Pod } from "../../api/core/pod/schema.ts";

/** The annotation with the source of a Pod; on a mirror Pod, that of the static Pod. */
export const sourceAnnotation = "kubernetes.io/config.source";
/** The annotation of a mirror Pod, whose value is the static Pod's hash. */
export const mirrorAnnotation = "kubernetes.io/config.mirror";

/** The priority of `system-cluster-critical` (upstream `SystemCriticalPriority`). */
const criticalPriority = 2_000_000_000;

/** Reports whether the Pod comes from a file of the node instead of the API. */
export function isStatic({ metadata: { annotations } }: Pick<Pod, "metadata">): boolean {
  const source = annotations?.[sourceAnnotation];
  return source !== undefined && source !== "api";
}

/** Reports whether the Pod stands in the API for a static Pod. */
export function isMirror({ metadata: { annotations } }: Pick<Pod, "metadata">): boolean {
  return annotations?.[mirrorAnnotation] !== undefined;
}

/** Reports whether the node agent never evicts the Pod and makes room for it (kubelet `types.IsCriticalPod`). */
export function isCritical(pod: Pod): boolean {
  return isStatic(pod) || isMirror(pod) || (pod.spec.priority ?? 0) >= criticalPriority;
}

/** Reports whether a Pod may be ended to make room for another (kubelet `types.Preemptable`). */
export function isPreemptable(preemptor: Pod, pod: Pod): boolean {
  if (isCritical(preemptor) && !isCritical(pod)) return true;
  return (preemptor.spec.priority ?? 0) > (pod.spec.priority ?? 0);
}
