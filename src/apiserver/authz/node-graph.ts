import { type PersistentVolume, persistentVolumes } from "../../api/core/persistent-volume/schema.ts";
import { type Pod, pods } from "../../api/core/pod/schema.ts";
import { resourceSlices } from "../../api/resource/resource-slice/schema.ts";
import { volumeAttachments } from "../../api/storage/volume-attachment/schema.ts";
import { groupResource, type Kind, type KubeObject } from "../../meta/kind.ts";
import type { Services } from "../services.ts";
import { claimNames } from "../../api/core/pod/claims.ts";
import { configMapNames, resourceClaimNames, secretNames } from "../../api/core/pod/references.ts";
import { type Reference, ReferenceIndex } from "./reference-index.ts";
import { volumeSecrets } from "./volume-references.ts";

/** The resources that a node may read through its Pods and volumes. */
export type ConnectedResource =
  | "configmaps"
  | "persistentvolumeclaims"
  | "persistentvolumes"
  | "pods"
  | "resourceclaims"
  | "resourceslices"
  | "secrets"
  | "serviceaccounts"
  | "volumeattachments";

const mirrorAnnotation = "kubernetes.io/config.mirror";

/**
 * The graph of nodes and the objects that they may read (plugin `auth/authorizer/node/graph.go`):
 *
 * node ← Pod ← Secret, ConfigMap, ServiceAccount, ResourceClaim, PersistentVolumeClaim ← PersistentVolume ←
 * Secret;
 * node ← VolumeAttachment; node ← ResourceSlice.
 */
export class NodeGraph {
  readonly #services: Pick<Services, "store" | "codec" | "hub">;
  /** References from a Pod's objects to its node. */
  readonly #pods: ReferenceIndex;
  /** References from the Secrets of a PersistentVolume to its claim. */
  readonly #volumes: ReferenceIndex;

  constructor(services: Pick<Services, "store" | "codec" | "hub">) {
    this.#services = services;
    const { codec } = services;
    this.#pods = new ReferenceIndex(services, pods, (entry) => podReferences(codec.read(pods, entry)));
    this.#volumes = new ReferenceIndex(services, persistentVolumes, (entry) =>
      volumeReferences(codec.read(persistentVolumes, entry)),
    );
  }

  connects(node: string, resource: ConnectedResource, namespace: string, name: string): boolean {
    switch (resource) {
      case "pods":
        return this.#read(pods, `${namespace}/${name}`)?.spec.nodeName === node;
      case "volumeattachments":
        return this.#read(volumeAttachments, name)?.spec.nodeName === node;
      case "resourceslices":
        return this.#read(resourceSlices, name)?.spec.nodeName === node;
      case "persistentvolumes": {
        const claim = this.#read(persistentVolumes, name)?.spec.claimRef;
        return claim !== undefined && this.#pods.has(claimOf(claim), node);
      }
      case "secrets": {
        const secret = place(resource, namespace, name);
        return (
          this.#pods.has(secret, node) ||
          this.#volumes.of(secret).some((claim) => this.#pods.has(claim, node))
        );
      }
      default:
        return this.#pods.has(place(resource, namespace, name), node);
    }
  }

  #read<O extends object, I extends object>(kind: Kind<O, I>, key: string): KubeObject<O> | undefined {
    const { store, codec } = this.#services;
    const entry = store.read(`/registry/${groupResource(kind)}/${key}`);
    return entry === undefined ? undefined : codec.read(kind, entry);
  }
}

const place = (resource: ConnectedResource, namespace: string, name: string) =>
  `${resource}/${namespace}/${name}`;
const claimOf = ({ namespace = "", name = "" }: { readonly namespace?: string; readonly name?: string }) =>
  place("persistentvolumeclaims", namespace, name);

function* podReferences(pod: Pod): Generator<Reference> {
  const { metadata, spec } = pod;
  const { nodeName } = spec;
  // A node creates mirror Pods itself: they must not let it read anything.
  if (nodeName === undefined || metadata.annotations?.[mirrorAnnotation] !== undefined) return;
  const to = (resource: ConnectedResource, name: string): Reference => [
    place(resource, metadata.namespace ?? "", name),
    nodeName,
  ];
  if (spec.serviceAccountName !== undefined) yield to("serviceaccounts", spec.serviceAccountName);
  for (const name of secretNames(spec)) yield to("secrets", name);
  for (const name of configMapNames(spec)) yield to("configmaps", name);
  for (const name of claimNames(pod)) yield to("persistentvolumeclaims", name);
  for (const name of resourceClaimNames(pod)) yield to("resourceclaims", name);
}

function* volumeReferences(volume: PersistentVolume): Generator<Reference> {
  const { claimRef } = volume.spec;
  if (claimRef === undefined) return;
  for (const { namespace, name } of volumeSecrets(volume))
    yield [place("secrets", namespace, name), claimOf(claimRef)];
}
