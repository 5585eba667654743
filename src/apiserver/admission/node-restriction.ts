import { leases } from "../../api/coordination/v1.ts";
import type { TokenRequest } from "../../api/authentication/v1.ts";
import { type Node, nodes } from "../../api/core/v1/node.ts";
import { type Pod, pods } from "../../api/core/v1/pod.ts";
import { serviceAccounts } from "../../api/core/v1/service-account.ts";
import type { Draft } from "../../meta/schema.ts";
import { errors } from "../../meta/status.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { nodeNameOf } from "../authz/node-identity.ts";
import type { Services } from "../services.ts";
import type { AdmissionPlugin, Attributes } from "./plugin.ts";

const mirrorAnnotation = "kubernetes.io/config.mirror";

/** A node agent may write its own Node, its Lease and the Pods that run on it, nothing else (plugin `noderestriction`). */
export const nodeRestriction: AdmissionPlugin = {
  name: "NodeRestriction",
  validate(attributes, services) {
    const { user, resource } = attributes;
    const node = nodeNameOf(user);
    if (node === undefined) return;
    const why = refuse(attributes, node, services);
    if (why !== undefined) throw errors.forbidden(resource.name, attributes.name, why);
  },
};

/** Why a node may not do this; undefined when it may. */
function refuse(attributes: Attributes, node: string, services: Services): string | undefined {
  const { resource, name, subresource } = attributes;
  switch (resource.kind) {
    case nodes:
      return refuseNode(attributes, node);
    case leases:
      return name === node
        ? undefined
        : "can only access node lease with the same name as the requesting node";
    case pods:
      return subresource === "eviction"
        ? refuseEviction(attributes, node, services)
        : refusePod(attributes, node);
    case serviceAccounts:
      return subresource === "token" ? refuseToken(attributes, node, services) : undefined;
    default:
      return undefined;
  }
}

function refuseNode({ name, operation, object, old }: Attributes, node: string): string | undefined {
  const who = `node ${JSON.stringify(node)}`;
  if (name !== node) return `${who} is not allowed to modify node ${JSON.stringify(name)}`;
  if (operation !== "UPDATE") return undefined;
  const taintsOf = (one: unknown) => (one as Node).spec.taints ?? [];
  return deepEqual(taintsOf(object), taintsOf(old)) ? undefined : `${who} is not allowed to modify taints`;
}

function refusePod({ operation, subresource, object, old }: Attributes, node: string): string | undefined {
  const who = `node ${JSON.stringify(node)}`;
  const pod = (old ?? object) as unknown as Pod;
  const isOwn = pod.spec.nodeName === node;
  const self = "pods with spec.nodeName set to itself";
  if (operation === "DELETE") return isOwn ? undefined : `${who} can only delete ${self}`;
  if (operation === "UPDATE") {
    if (!isOwn) return `${who} can only update pod status for ${self}`;
    const isRelabelled = !deepEqual(object?.metadata.labels, old?.metadata.labels);
    return isRelabelled ? `${who} cannot update labels through pod status` : undefined;
  }
  if (subresource !== "") return undefined;
  if (pod.metadata.annotations?.[mirrorAnnotation] === undefined)
    return `pod does not have ${JSON.stringify(mirrorAnnotation)} annotation, ${who} can only create mirror pods`;
  if (!isOwn) return `${who} can only create ${self}`;
  return pod.spec.serviceAccountName === undefined
    ? undefined
    : `${who} can not create pods that reference a service account`;
}

function refuseEviction(
  { namespace, name }: Attributes,
  node: string,
  { store, codec, resources }: Services,
): string | undefined {
  const resource = resources.of(pods);
  const entry = store.read(resource.key(namespace, name));
  if (entry === undefined) throw errors.notFound(resource.name, name);
  const { spec } = codec.decode(entry) as Pod;
  return spec.nodeName === node
    ? undefined
    : `node ${node} can only evict pods with spec.nodeName set to itself`;
}

/** Tokens of its Pods' accounts, bound to those Pods. */
function refuseToken(
  { object, namespace }: Attributes,
  node: string,
  { store, codec, resources }: Services,
): string | undefined {
  const reference = (object as unknown as TokenRequest).spec.boundObjectRef;
  if (reference?.kind !== "Pod" || reference.name === undefined)
    return "node requested token not bound to a pod";
  if (reference.uid === undefined) return "node requested token with a pod binding without a uid";
  const entry = store.read(resources.of(pods).key(namespace, reference.name));
  const pod = entry === undefined ? undefined : (codec.decode(entry) as unknown as Pod);
  if (pod?.metadata.uid !== reference.uid)
    return `the UID in the bound object reference (${reference.uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  return pod.spec.nodeName === node
    ? undefined
    : "node requested token bound to a pod scheduled on a different node";
}

/** A new Node is not ready until its agent has said so and the node lifecycle controller has seen it (KEP-382). */
export const taintNewNodes: AdmissionPlugin = {
  name: "TaintNodesByCondition",
  mutate({ operation, resource, subresource, object }) {
    if (operation !== "CREATE" || resource.kind !== nodes || subresource !== "") return;
    const { spec } = object as unknown as Draft<Node>;
    const key = "node.kubernetes.io/not-ready";
    if (spec.taints?.some((one) => one.key === key && one.effect === "NoSchedule") === true) return;
    (spec.taints ??= []).push({ key, effect: "NoSchedule" });
  },
};
