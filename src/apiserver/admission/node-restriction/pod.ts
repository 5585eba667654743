import { nodes } from "../../../api/core/node/schema.ts";
import { type Pod, pods } from "../../../api/core/pod/schema.ts";
import type { Volume } from "../../../api/core/volume/schema.ts";
import { errors } from "../../../meta/status.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import { configMapNames, secretNames } from "../../../api/core/pod/references.ts";
import type { AdmissionServices } from "../admission-services.ts";
import { about, type Attributes } from "../plugin.ts";

const mirrorAnnotation = "kubernetes.io/config.mirror";

/** Allows a node to create mirror Pods, and to report, evict and delete the Pods that run on it. */
export function refusePod(
  attributes: Attributes,
  node: string,
  services: AdmissionServices,
): string | undefined {
  const { operation, subresource } = attributes;
  const who = `node ${JSON.stringify(node)}`;
  switch (subresource) {
    case "":
      if (operation === "CREATE") return refuseCreate(attributes, node, services);
      if (operation === "DELETE")
        return isOn(about(pods, attributes)?.old, node)
          ? undefined
          : `${who} can only delete pods with spec.nodeName set to itself`;
      return `unexpected operation ${JSON.stringify(operation)}, ${who} can only create and delete mirror pods`;
    case "status":
      return operation === "UPDATE"
        ? refuseStatus(attributes, node)
        : `unexpected operation ${JSON.stringify(operation)}`;
    case "eviction":
      return operation === "CREATE"
        ? refuseEviction(attributes, node, services)
        : `unexpected operation ${operation}`;
    default:
      return `unexpected pod subresource ${JSON.stringify(subresource)}, only 'status' and 'eviction' are allowed`;
  }
}

const isOn = (pod: Pod | undefined, node: string) => pod?.spec.nodeName === node;

/** A mirror Pod must not let its node read objects that the node could not read without it. */
function refuseCreate(attributes: Attributes, node: string, services: AdmissionServices): string | undefined {
  const { metadata, spec } = about(pods, attributes)?.object ?? {};
  const who = `node ${JSON.stringify(node)}`;
  if (spec === undefined || metadata?.annotations?.[mirrorAnnotation] === undefined)
    return `pod does not have ${JSON.stringify(mirrorAnnotation)} annotation, ${who} can only create mirror pods`;
  if (spec.nodeName !== node) return `${who} can only create pods with spec.nodeName set to itself`;
  const problem = refuseOwners(metadata.ownerReferences ?? [], node, services);
  if (problem !== undefined) return problem;
  const reference = objectReference(spec);
  return reference === undefined ? undefined : `${who} can not create pods that reference ${reference}`;
}

function refuseOwners(
  [owner, ...others]: NonNullable<Pod["metadata"]["ownerReferences"]>,
  node: string,
  services: AdmissionServices,
): string | undefined {
  const only = `node ${JSON.stringify(node)} can only create pods with`;
  if (others.length > 0) return `${only} a single owner reference set to itself`;
  if (owner?.apiVersion !== "v1" || owner.kind !== "Node" || owner.name !== node)
    return `${only} an owner reference set to itself`;
  if (owner.controller !== true) return `${only} a controller owner reference set to itself`;
  if (owner.blockOwnerDeletion === true)
    return `node ${JSON.stringify(node)} must not set blockOwnerDeletion on an owner reference`;
  const { uid } = (services.reader.get(nodes, "", node) ?? missing("node", node)).metadata;
  return owner.uid === uid ? undefined : `node ${node} UID mismatch: expected ${owner.uid} got ${uid}`;
}

function missing(resource: string, name: string): never {
  throw errors.notFound({ group: "", resource }, name);
}

/**
 * Returns upstream's name for an API object that a Pod references (upstream `api/pod.HasAPIObjectReference`).
 */
function objectReference(spec: Pod["spec"]): string | undefined {
  if (spec.serviceAccountName !== undefined) return "serviceaccounts";
  if (!secretNames(spec).next().done) return "secrets";
  if (!configMapNames(spec).next().done) return "configmaps";
  if ((spec.resourceClaims ?? []).length > 0) return "resourceclaims";
  return (spec.volumes ?? []).map(volumeReference).find((one) => one !== undefined);
}

function volumeReference(volume: Volume): string | undefined {
  const { configMap, secret, csi, glusterfs, persistentVolumeClaim, ephemeral, azureFile } = volume;
  if (configMap !== undefined) return "configmaps (via configmap volumes)";
  if (secret !== undefined) return "secrets (via secret volumes)";
  if (csi !== undefined) return "csidrivers (via CSI volumes)";
  if (glusterfs !== undefined) return "endpoints (via glusterFS volumes)";
  if (persistentVolumeClaim !== undefined) return "persistentvolumeclaims";
  if (ephemeral !== undefined) return "persistentvolumeclaims (via ephemeral volumes)";
  if (azureFile !== undefined) return "secrets (via azureFile volumes)";
  for (const source of volume.projected?.sources ?? []) {
    if (source.configMap !== undefined) return "configmaps (via projected volumes)";
    if (source.secret !== undefined) return "secrets (via projected volumes)";
    if (source.serviceAccountToken !== undefined) return "serviceaccounts (via projected volumes)";
    if (source.clusterTrustBundle !== undefined) return "clustertrustbundles";
    if (source.podCertificate !== undefined) return "podcertificates";
  }
  return undefined;
}

/**
 * Refuses changes of labels, because controllers and Services select by them, and of claim statuses, because
 * they decide which ResourceClaims the node may read.
 */
function refuseStatus(attributes: Attributes, node: string): string | undefined {
  const { object: next, old: before } = about(pods, attributes, "status") ?? {};
  const who = `node ${JSON.stringify(node)}`;
  if (next === undefined || before === undefined) return `${who} can only update the status of a stored pod`;
  if (!isOn(before, node))
    return `${who} can only update pod status for pods with spec.nodeName set to itself`;
  if (!deepEqual(next.metadata.labels ?? {}, before.metadata.labels ?? {}))
    return `${who} cannot update labels through pod status`;
  if (!deepEqual(next.status.resourceClaimStatuses ?? [], before.status.resourceClaimStatuses ?? []))
    return `${who} cannot update resource claim statues`;
  return deepEqual(next.status.extendedResourceClaimStatus, before.status.extendedResourceClaimStatus)
    ? undefined
    : `${who} cannot update extended resource claim status`;
}

function refuseEviction(
  { namespace, name }: Attributes,
  node: string,
  services: AdmissionServices,
): string | undefined {
  const pod = services.reader.get(pods, namespace, name) ?? missing("pod", name);
  return isOn(pod, node) ? undefined : `node ${node} can only evict pods with spec.nodeName set to itself`;
}
