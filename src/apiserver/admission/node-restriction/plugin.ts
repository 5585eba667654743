import { certificateSigningRequests } from "../../../api/certificates/certificate-signing-request/schema.ts";
import { commonNameOf } from "../../../api/certificates/certificate-signing-request/request.ts";
import { leases } from "../../../api/coordination/lease/schema.ts";
import { nodes } from "../../../api/core/node/schema.ts";
import {
  type PersistentVolumeClaim,
  persistentVolumeClaims,
} from "../../../api/core/persistent-volume-claim/schema.ts";
import { pods } from "../../../api/core/pod/schema.ts";
import { serviceAccounts } from "../../../api/core/service-account/schema.ts";
import { resourceSlices } from "../../../api/resource/resource-slice/schema.ts";
import { csiNodes } from "../../../api/storage/csi-node/schema.ts";
import { groupResource } from "../../../meta/kind.ts";
import { errors } from "../../../meta/status.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import { nodeNameOf } from "../../authz/node-identity.ts";
import type { AdmissionServices } from "../admission-services.ts";
import { about, type AdmissionPlugin, type Attributes } from "../plugin.ts";
import { refuseNode } from "./node.ts";
import { refusePod } from "./pod.ts";
import { refuseToken } from "./token.ts";

/**
 * Returns the reason why a node may not do this; undefined when it may.
 * @throws StatusError 404 when an object is missing that the decision needs.
 */
type Refuse = (attributes: Attributes, node: string, services: AdmissionServices) => string | undefined;

/**
 * Allows a node agent to write only its own Node and the objects that belong to it (plugin
 * `noderestriction`). It checks the object as it was sent, and again after all plugins that change objects.
 */
export const nodeRestriction: AdmissionPlugin = {
  name: "NodeRestriction",
  mutate: check,
  validate: check,
};

function check(attributes: Attributes, services: AdmissionServices): void {
  const { user, resource, name } = attributes;
  const node = nodeNameOf(user);
  if (node === undefined) return;
  const why =
    node === ""
      ? `could not determine node from user ${JSON.stringify(user.name)}`
      : rules.get(groupResource(resource.kind))?.(attributes, node, services);
  if (why !== undefined) throw errors.forbidden(resource.name, name, why);
}

const rules: ReadonlyMap<string, Refuse> = new Map([
  [groupResource(nodes), refuseNode],
  [groupResource(pods), refusePod],
  [groupResource(persistentVolumeClaims), refuseClaim],
  [groupResource(serviceAccounts), refuseToken],
  [groupResource(leases), refuseLease],
  [groupResource(csiNodes), refuseCsiNode],
  [groupResource(resourceSlices), refuseSlice],
  [groupResource(certificateSigningRequests), refuseSigningRequest],
]);

function refuseLease({ namespace, name }: Attributes, node: string): string | undefined {
  if (namespace !== "kube-node-lease")
    return 'can only access leases in the "kube-node-lease" system namespace';
  return name === node ? undefined : "can only access node lease with the same name as the requesting node";
}

function refuseCsiNode({ name }: Attributes, node: string): string | undefined {
  return name === node ? undefined : "can only access CSINode with the same name as the requesting node";
}

/**
 * Checks creates and deletes. The node authorizer checks updates, because it knows the stored object. A
 * collection is deleted one by one.
 */
function refuseSlice(attributes: Attributes, node: string): string | undefined {
  const { operation } = attributes;
  const verb = { CREATE: "create", DELETE: "delete", UPDATE: undefined, CONNECT: undefined }[operation];
  if (verb === undefined) return undefined;
  const { object, old } = about(resourceSlices, attributes) ?? {};
  return (object ?? old)?.spec.nodeName === node
    ? undefined
    : `can only ${verb} ResourceSlice with the same NodeName as the requesting node`;
}

const nodeSigners = new Set(["kubernetes.io/kubelet-serving", "kubernetes.io/kube-apiserver-client-kubelet"]);

/** Checks the subject. The signers check the rest of a request for a node's certificate. */
function refuseSigningRequest(attributes: Attributes, node: string): string | undefined {
  if (attributes.operation !== "CREATE") return undefined;
  const spec = about(certificateSigningRequests, attributes)?.object?.spec;
  if (spec === undefined || !nodeSigners.has(spec.signerName)) return undefined;
  const subject = `system:node:${node}`;
  return commonNameOf(spec.request) === subject ? undefined : `can only create a node CSR with CN=${subject}`;
}

/** Allows a node to report the growth of a claim's volume. */
function refuseClaim(attributes: Attributes, node: string): string | undefined {
  const { operation, subresource } = attributes;
  if (subresource !== "status") return "may only update PVC status";
  const { object, old } = about(persistentVolumeClaims, attributes, "status") ?? {};
  if (operation !== "UPDATE" || object === undefined || old === undefined)
    return `unexpected operation ${JSON.stringify(operation)}`;
  return deepEqual(withoutReport(object), withoutReport(old))
    ? undefined
    : `node ${JSON.stringify(node)} is not allowed to update fields other than status.quantity and status.conditions`;
}

function withoutReport({ metadata, status, ...rest }: PersistentVolumeClaim): object {
  const { resourceVersion: _, managedFields: __, ...keptMetadata } = metadata;
  const {
    capacity: ___,
    conditions: ____,
    allocatedResources: _____,
    allocatedResourceStatuses: ______,
    ...keptStatus
  } = status;
  return { ...rest, metadata: keptMetadata, status: keptStatus };
}
