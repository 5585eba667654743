import { groupResource } from "../../meta/kind.ts";
import type { Services } from "../services.ts";
import type { AccessRequest, Authorizer, Decision, PolicyRule, ResourceAccess } from "./authorizer.ts";
import { type ConnectedResource, NodeGraph } from "./node-graph.ts";
import { nodeNameOf } from "./node-identity.ts";
import { nodeRules } from "./node-rules.ts";
import { ruleAllows } from "./rules.ts";

const allowed: Decision = { allowed: true, reason: "" };
const denied = (reason: string): Decision => ({ allowed: false, reason });

/** Decides on requests for one resource. */
type Rule = (node: string, verb: string, access: ResourceAccess) => Decision;

/**
 * Authorizes node agents (plugin `auth/authorizer/node`): they may read the objects that their Pods
 * reference, and write their own objects. The admission plugin NodeRestriction checks the content of these
 * writes. It has no opinion on other users' requests and on requests that it does not allow.
 */
export class NodeAuthorizer implements Authorizer {
  readonly #graph: NodeGraph;
  readonly #rules: ReadonlyMap<string, Rule>;

  constructor(services: Pick<Services, "store" | "codec" | "hub">) {
    this.#graph = new NodeGraph(services);
    const get = (resource: ConnectedResource) => getOnly(this.#connected(resource));
    this.#rules = new Map<string, Rule>([
      ["configmaps", readOnly(this.#connected("configmaps"))],
      ["csinodes.storage.k8s.io", csiNodeRule],
      ["leases.coordination.k8s.io", leaseRule],
      ["nodes", nodeRule],
      ["persistentvolumeclaims", claimRule(this.#connected("persistentvolumeclaims"))],
      ["persistentvolumes", get("persistentvolumes")],
      ["pods", podRule(this.#connected("pods"))],
      ["resourceclaims.resource.k8s.io", get("resourceclaims")],
      ["resourceslices.resource.k8s.io", sliceRule(this.#connected("resourceslices"))],
      ["secrets", readOnly(this.#connected("secrets"))],
      ["serviceaccounts", serviceAccountRule(this.#connected("serviceaccounts"))],
      ["volumeattachments.storage.k8s.io", get("volumeattachments")],
    ]);
  }

  authorize({ user, verb, target }: AccessRequest): Decision {
    const node = nodeNameOf(user);
    if (node === undefined) return denied("");
    if (node === "") return denied(`unknown node for user ${JSON.stringify(user.name)}`);
    const rule =
      target.type === "path"
        ? undefined
        : this.#rules.get(groupResource({ group: target.group, plural: target.resource }));
    if (rule !== undefined && target.type === "resource") return rule(node, verb, target);
    return nodeRules.some((one) => ruleAllows(one, verb, target)) ? allowed : denied("");
  }

  /** Returns no rules, as upstream, because most decisions depend on the object. */
  rulesFor(): readonly PolicyRule[] {
    return [];
  }

  #connected(resource: ConnectedResource): Rule {
    return (node, _, { namespace, name }) => {
      if (name === "") return denied("No Object name found");
      if (this.#graph.connects(node, resource, namespace, name)) return allowed;
      return denied(`no relationship found between node '${node}' and this object`);
    };
  }
}

const reads = new Set(["get", "list", "watch"]);
const ownVerbs = new Set(["get", "create", "update", "patch", "delete"]);

function getOnly(connected: Rule): Rule {
  return (node, verb, access) => {
    if (verb !== "get") return denied("can only get individual resources of this type");
    if (access.subresource !== "") return denied("cannot get subresource");
    return connected(node, verb, access);
  };
}

/** A list or watch of one name reads one object too. */
function readOnly(connected: Rule): Rule {
  return (node, verb, access) => {
    if (!reads.has(verb)) return denied("can only read resources of this type");
    if (access.subresource !== "") return denied("cannot read subresource");
    if (access.namespace === "") return denied("can only read namespaced object of this type");
    return connected(node, verb, access);
  };
}

function claimRule(connected: Rule): Rule {
  const get = getOnly(connected);
  return (node, verb, access) => {
    if (access.subresource !== "status") return get(node, verb, access);
    if (verb !== "update" && verb !== "patch") return denied("can only get/update/patch this type");
    return connected(node, verb, access);
  };
}

function serviceAccountRule(connected: Rule): Rule {
  const read = readOnly(connected);
  return (node, verb, access) => {
    if (verb === "get" && access.subresource === "") return read(node, verb, access);
    if (verb !== "create" || access.name === "")
      return denied("can only create tokens for individual service accounts");
    if (access.subresource !== "token") return denied("can only create token subresource of serviceaccount");
    return connected(node, verb, access);
  };
}

const leaseNamespace = "kube-node-lease";

const leaseRule: Rule = (node, verb, { namespace, name }) => {
  if (!ownVerbs.has(verb)) return denied("can only get, create, update, patch, or delete a node lease");
  if (namespace !== leaseNamespace)
    return denied(`can only access leases in the ${JSON.stringify(leaseNamespace)} system namespace`);
  // The name of a created object is in the body: NodeRestriction checks it.
  if (verb === "create" || name === node) return allowed;
  return denied("can only access node lease with the same name as the requesting node");
};

const csiNodeRule: Rule = (node, verb, { subresource, name }) => {
  if (!ownVerbs.has(verb)) return denied("can only get, create, update, patch, or delete a CSINode");
  if (subresource !== "") return denied("cannot authorize CSINode subresources");
  // The name of a created object is in the body: NodeRestriction checks it.
  if (verb === "create" || name === node) return allowed;
  return denied("can only access CSINode with the same name as the requesting node");
};

function sliceRule(connected: Rule): Rule {
  return (node, verb, access) => {
    if (access.subresource !== "") return denied("cannot authorize ResourceSlice subresources");
    switch (verb) {
      // NodeRestriction checks the node in the body.
      case "create":
        return allowed;
      case "get":
      case "update":
      case "patch":
      case "delete":
        return connected(node, verb, access);
      case "watch":
      case "list":
      case "deletecollection":
        return access.fields?.exactValue("spec.nodeName") === node
          ? allowed
          : denied("can only list/watch/deletecollection resourceslices with nodeName field selector");
      default:
        return denied(
          "only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection",
        );
    }
  };
}

const nodeRule: Rule = (node, verb, { subresource, name }) => {
  if (subresource === "status") return verb === "update" || verb === "patch" ? allowed : denied("");
  if (subresource !== "") return denied("");
  // NodeRestriction lets a node write only its own object.
  if (verb === "create" || verb === "update" || verb === "patch") return allowed;
  if (!reads.has(verb)) return denied("");
  if (name === node) return allowed;
  return denied(
    name === ""
      ? `node '${node}' cannot read all nodes, only its own Node object`
      : `node '${node}' cannot read '${name}', only its own Node object`,
  );
};

function podRule(connected: Rule): Rule {
  return (node, verb, access) => {
    switch (access.subresource) {
      // NodeRestriction checks the Pod's node.
      case "status":
        return verb === "update" || verb === "patch" ? allowed : denied("");
      case "eviction":
        return verb === "create" ? allowed : denied("");
      case "":
        break;
      default:
        return denied("");
    }
    if (verb === "create" || verb === "delete") return allowed;
    if (verb === "get") return connected(node, verb, access);
    if (!reads.has(verb)) return denied("");
    if (access.fields?.exactValue("spec.nodeName") === node) return allowed;
    if (access.name !== "") return connected(node, verb, access);
    return denied("can only list/watch pods with spec.nodeName field selector");
  };
}
