import { type Pod, pods } from "../../api/core/v1/pod.ts";
import { groupResource, type KubeObject } from "../../meta/kind.ts";
import type { Services } from "../services.ts";
import type { Subscription } from "../watch/feed.ts";

/** What a Pod gives its node a reason to read. */
export type ReferencedResource = "secrets" | "configmaps" | "serviceaccounts" | "persistentvolumeclaims";

const mirrorAnnotation = "kubernetes.io/config.mirror";

/**
 * Which nodes run Pods that refer to an object. Brought up to date at each question, from the changes that
 * the watch cache has seen since the last one: a node that has heard of its Pod is never ahead of it.
 */
export class PodReferences {
  readonly #services: Pick<Services, "store" | "codec" | "hub">;
  /** By what is referred to: how many Pods of each node do so. */
  readonly #nodes = new Map<string, Map<string, number>>();
  #changes: Subscription | undefined;

  constructor(services: Pick<Services, "store" | "codec" | "hub">) {
    this.#services = services;
  }

  connects(node: string, resource: ReferencedResource, namespace: string, name: string): boolean {
    this.#catchUp();
    return this.#nodes.get(`${resource}/${namespace}/${name}`)?.has(node) === true;
  }

  #catchUp(): void {
    if (this.#changes === undefined || this.#changes.slow) this.#rebuild();
    for (const { before, object } of this.#changes?.drain() ?? []) {
      this.#count(before, -1);
      this.#count(object, 1);
    }
  }

  #rebuild(): void {
    const { store, codec, hub } = this.#services;
    this.#nodes.clear();
    const { entries, revision } = store.list(`/registry/${groupResource(pods)}/`);
    for (const entry of entries) this.#count(codec.decode(entry), 1);
    this.#changes = hub.feed(groupResource(pods)).subscribe({ namespace: "", name: "" }, revision);
  }

  #count(object: KubeObject | undefined, by: 1 | -1): void {
    if (object === undefined) return;
    const pod = object as unknown as Pod;
    const { nodeName } = pod.spec;
    if (nodeName === undefined) return;
    for (const reference of new Set(references(pod))) {
      const nodes = this.#nodes.get(reference) ?? new Map<string, number>();
      const count = (nodes.get(nodeName) ?? 0) + by;
      if (count > 0) nodes.set(nodeName, count);
      else nodes.delete(nodeName);
      if (nodes.size > 0) this.#nodes.set(reference, nodes);
      else this.#nodes.delete(reference);
    }
  }
}

function* references({ metadata, spec }: Pod): Generator<string> {
  // A node makes mirror Pods by itself: they must not let it read anything.
  if (metadata.annotations?.[mirrorAnnotation] !== undefined) return;
  const to = (resource: ReferencedResource, name = "") => `${resource}/${metadata.namespace}/${name}`;
  yield to("serviceaccounts", spec.serviceAccountName);
  for (const { name } of spec.imagePullSecrets ?? []) yield to("secrets", name);
  const { containers, initContainers = [], ephemeralContainers = [] } = spec;
  for (const { env = [], envFrom = [] } of [...containers, ...initContainers, ...ephemeralContainers]) {
    for (const { valueFrom } of env) {
      if (valueFrom?.secretKeyRef !== undefined) yield to("secrets", valueFrom.secretKeyRef.name);
      if (valueFrom?.configMapKeyRef !== undefined) yield to("configmaps", valueFrom.configMapKeyRef.name);
    }
    for (const { secretRef, configMapRef } of envFrom) {
      if (secretRef !== undefined) yield to("secrets", secretRef.name);
      if (configMapRef !== undefined) yield to("configmaps", configMapRef.name);
    }
  }
  for (const volume of spec.volumes ?? []) yield* volumeReferences(volume, metadata.name ?? "", to);
}

type Volume = NonNullable<Pod["spec"]["volumes"]>[number];

function* volumeReferences(
  volume: Volume,
  podName: string,
  to: (resource: ReferencedResource, name?: string) => string,
): Generator<string> {
  const { secret, configMap, projected, persistentVolumeClaim, ephemeral, csi } = volume;
  if (secret !== undefined) yield to("secrets", secret.secretName);
  if (configMap !== undefined) yield to("configmaps", configMap.name);
  for (const source of projected?.sources ?? []) {
    if (source.secret !== undefined) yield to("secrets", source.secret.name);
    if (source.configMap !== undefined) yield to("configmaps", source.configMap.name);
  }
  if (persistentVolumeClaim !== undefined)
    yield to("persistentvolumeclaims", persistentVolumeClaim.claimName);
  if (ephemeral !== undefined) yield to("persistentvolumeclaims", `${podName}-${volume.name}`);
  if (csi?.nodePublishSecretRef !== undefined) yield to("secrets", csi.nodePublishSecretRef.name);
}
