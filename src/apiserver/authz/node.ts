import { type PersistentVolume, persistentVolumes } from "../../api/core/v1/persistent-volume.ts";
import { type Pod, pods } from "../../api/core/v1/pod.ts";
import { type ClusterRole, clusterRoles } from "../../api/rbac/v1.ts";
import { groupResource, type Kind, type KubeObject } from "../../meta/kind.ts";
import type { Services } from "../services.ts";
import type { AccessRequest, Authorizer, Decision, PolicyRule, ResourceAccess } from "./authorizer.ts";
import { nodeNameOf } from "./node-identity.ts";
import { PodReferences, type ReferencedResource } from "./pod-references.ts";
import { ruleAllows } from "./rules.ts";

const allowed: Decision = { allowed: true, reason: "" };
const denied = (reason: string): Decision => ({ allowed: false, reason });
const reads = new Set(["get", "list", "watch"]);
const writes = new Set(["create", "update", "patch"]);

/** Answers about one resource in particular; undefined where a resource is everyone's. */
type Rule = (node: string, verb: string, access: ResourceAccess) => Decision;

/**
 * What a node agent may do (plugin `auth/authorizer/node`): read what its Pods refer to, and touch its own
 * objects. What all nodes may do alike stands in the ClusterRole `system:node`. NodeRestriction looks into
 * the objects that are written. It has no say about others, nor does it refuse what RBAC grants besides.
 */
export class NodeAuthorizer implements Authorizer {
  readonly #services: Pick<Services, "store" | "codec" | "hub">;
  readonly #references: PodReferences;
  readonly #rules: ReadonlyMap<string, Rule>;

  constructor(services: Pick<Services, "store" | "codec" | "hub">) {
    this.#services = services;
    this.#references = new PodReferences(services);
    const referenced = (resource: ReferencedResource): Rule => {
      return (node, _, { namespace, name }) =>
        this.#references.connects(node, resource, namespace, name) ? allowed : unrelated(node);
    };
    this.#rules = new Map<string, Rule>([
      ["secrets", only(reads, "", referenced("secrets"))],
      ["configmaps", only(reads, "", referenced("configmaps"))],
      ["serviceaccounts", serviceAccountRule(referenced("serviceaccounts"))],
      ["persistentvolumeclaims", claimRule(referenced("persistentvolumeclaims"))],
      ["persistentvolumes", only(new Set(["get"]), "", this.#volume)],
      ["leases.coordination.k8s.io", leaseRule],
      ["nodes", nodeRule],
      ["pods", this.#pod],
    ]);
  }

  authorize({ user, verb, target }: AccessRequest): Decision {
    const node = nodeNameOf(user);
    if (node === undefined) return denied("");
    const rule =
      target.type === "path"
        ? undefined
        : this.#rules.get(groupResource({ group: target.group, plural: target.resource }));
    if (rule !== undefined && target.type === "resource") return rule(node, verb, target);
    return this.#commonRules().some((one) => ruleAllows(one, verb, target)) ? allowed : denied("");
  }

  /** Upstream does not list them either: most depend on the object. */
  rulesFor(): readonly PolicyRule[] {
    return [];
  }

  #commonRules(): readonly PolicyRule[] {
    return (this.#read(clusterRoles, "system:node") as ClusterRole | undefined)?.rules ?? [];
  }

  readonly #volume: Rule = (node, _, { name }) => {
    const claim = (this.#read(persistentVolumes, name) as PersistentVolume | undefined)?.spec.claimRef;
    const connected =
      claim !== undefined &&
      this.#references.connects(node, "persistentvolumeclaims", claim.namespace ?? "", claim.name ?? "");
    return connected ? allowed : unrelated(node);
  };

  readonly #pod: Rule = (node, verb, { subresource, namespace, name, fields }) => {
    const isWrite = verb === "update" || verb === "patch";
    if (subresource === "status") return isWrite ? allowed : denied("");
    if (subresource === "eviction") return verb === "create" ? allowed : denied("");
    if (subresource !== "") return denied("");
    if (verb === "create" || verb === "delete") return allowed;
    if (!reads.has(verb)) return denied("");
    if (verb !== "get" && fields?.exactValue("spec.nodeName") === node) return allowed;
    if (name === "") return denied("can only list/watch pods with spec.nodeName field selector");
    const pod = this.#read(pods, `${namespace}/${name}`) as Pod | undefined;
    return pod?.spec.nodeName === node ? allowed : unrelated(node);
  };

  #read(kind: Kind, place: string): KubeObject | undefined {
    const { store, codec } = this.#services;
    const entry = store.read(`/registry/${groupResource(kind)}/${place}`);
    return entry === undefined ? undefined : codec.decode(entry);
  }
}

function unrelated(node: string): Decision {
  return denied(`no relationship found between node '${node}' and this object`);
}

/** Some verbs on the object itself, or on one subresource, and of single objects only. */
function only(verbs: ReadonlySet<string>, subresource: string, rule: Rule): Rule {
  return (node, verb, access) => {
    if (!verbs.has(verb) || access.subresource !== subresource)
      return denied("can only read resources of this type");
    return access.name === "" ? denied("No Object name found") : rule(node, verb, access);
  };
}

function serviceAccountRule(referenced: Rule): Rule {
  const read = only(new Set(["get"]), "", referenced);
  const token = only(new Set(["create"]), "token", referenced);
  return (node, verb, access) => (access.subresource === "" ? read : token)(node, verb, access);
}

function claimRule(referenced: Rule): Rule {
  const read = only(new Set(["get"]), "", referenced);
  const status = only(new Set(["update", "patch"]), "status", referenced);
  return (node, verb, access) => (access.subresource === "" ? read : status)(node, verb, access);
}

const leaseNamespace = "kube-node-lease";

const leaseRule: Rule = (node, verb, { namespace, name }) => {
  if (!["get", "create", "update", "patch", "delete"].includes(verb))
    return denied("can only get, create, update, patch, or delete a node lease");
  if (namespace !== leaseNamespace)
    return denied(`can only access leases in the ${JSON.stringify(leaseNamespace)} system namespace`);
  // The name of what is created stands in the body: NodeRestriction sees it.
  if (verb === "create" || name === node) return allowed;
  return denied("can only access node lease with the same name as the requesting node");
};

const nodeRule: Rule = (node, verb, { subresource, name }) => {
  if (subresource === "status") return verb === "update" || verb === "patch" ? allowed : denied("");
  if (subresource !== "") return denied("");
  if (writes.has(verb)) return allowed;
  if (!reads.has(verb)) return denied("");
  if (name === node) return allowed;
  return denied(
    name === ""
      ? `node '${node}' cannot read all nodes, only its own Node object`
      : `node '${node}' cannot read '${name}', only its own Node object`,
  );
};
