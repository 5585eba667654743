import type { PodIdentity } from "../runtime.ts";

/** The agent's own label, by which it finds what belongs to it. */
const ownerLabel = "io.knarr.node";
/** Upstream's labels (kubelet `types/labels.go`), which tools such as crictl show. */
const labels = {
  namespace: "io.kubernetes.pod.namespace",
  name: "io.kubernetes.pod.name",
  uid: "io.kubernetes.pod.uid",
  container: "io.kubernetes.container.name",
};
/** Annotations of containers. */
const annotations = {
  restartCount: "io.kubernetes.container.restartCount",
  policy: "io.kubernetes.container.terminationMessagePolicy",
  image: "io.knarr.image",
};

export type Tags = Readonly<Record<string, string>>;

/** Selects everything of this agent. */
export function ownedBy(owner: string): Tags {
  return { [ownerLabel]: owner };
}

export function sandboxLabels(owner: string, { uid, namespace, name }: PodIdentity): Tags {
  return {
    ...ownedBy(owner),
    [labels.namespace]: namespace,
    [labels.name]: name,
    [labels.uid]: uid,
  };
}

export function containerLabels(owner: string, pod: PodIdentity, name: string): Tags {
  return { ...sandboxLabels(owner, pod), [labels.container]: name };
}

/** The facts of a container that its runtime keeps for the agent. */
export interface KeptFacts {
  readonly attempt: number;
  /** The image as the Pod's spec has it. */
  readonly image: string;
  readonly terminationMessagePolicy: string;
}

export function containerAnnotations({ attempt, image, terminationMessagePolicy }: KeptFacts): Tags {
  return {
    [annotations.restartCount]: String(attempt),
    [annotations.policy]: terminationMessagePolicy,
    [annotations.image]: image,
  };
}

/** Returns the image of the Pod's spec. */
export function imageIn(kept: Tags): string {
  return valueOf(kept, annotations.image);
}

/** Reports whether the end of the log replaces a missing termination message. */
export function fallsBackToLogs(kept: Tags): boolean {
  return valueOf(kept, annotations.policy) === "FallbackToLogsOnError";
}

export function uidIn(kept: Tags): string {
  return valueOf(kept, labels.uid);
}

function valueOf(kept: Tags, key: string): string {
  return Object.hasOwn(kept, key) ? (kept[key] ?? "") : "";
}
