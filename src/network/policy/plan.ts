import { createHash } from "node:crypto";
import type { Pod } from "../../api/core/pod/schema.ts";
import type {
  NetworkPolicy,
  NetworkPolicyPeer,
  NetworkPolicyPort,
} from "../../api/networking/network-policy/schema.ts";
import { everything, nothing, type Selector, SelectorError, selectorOf } from "../../meta/labels.ts";
import type { LabelSelector } from "../../meta/v1.ts";
import { type Range, rangeOf, type Ranges, subtract, union } from "./ranges.ts";

export type Direction = "ingress" | "egress";
export const directions = ["ingress", "egress"] as const;

const protocols = ["TCP", "UDP", "SCTP"] as const;
export type Protocol = (typeof protocols)[number];

/** The Pods that a peer of a policy selects. Equal peers of several policies are one group. */
export interface PeerGroup {
  /** The name of the set of their addresses. */
  readonly set: string;
  /** The only namespace, or the selector of namespaces. */
  readonly namespaces: string | Selector;
  readonly pods: Selector;
}

/** Allowed ports of one protocol. */
export interface AllowedPorts {
  readonly protocol: Protocol;
  /** Undefined allows all. */
  readonly numbers: Ranges | undefined;
  /** The sets of the Pods' ports with an allowed name. */
  readonly named: readonly string[];
}

/** The connections that one rule of a policy allows. */
export interface AllowRule {
  /** Undefined allows all. */
  readonly peers: { readonly sets: readonly string[]; readonly blocks: Ranges } | undefined;
  /** Undefined allows all, also protocols without ports. */
  readonly ports: readonly AllowedPorts[] | undefined;
}

/** A policy, as rules that are the same for all Pods that it selects. */
export interface PolicyPlan {
  /** `namespace/name`. */
  readonly key: string;
  readonly namespace: string;
  readonly selector: Selector;
  /** The allowed connections of each direction; undefined when the policy does not restrict the direction. */
  readonly ingress: readonly AllowRule[] | undefined;
  readonly egress: readonly AllowRule[] | undefined;
  readonly groups: readonly PeerGroup[];
  /** All sets that the rules refer to. */
  readonly sets: ReadonlySet<string>;
  /** The number of rules and ranges in the kernel, and `costOfObject` for the policy and for each of its sets. */
  readonly size: number;
  /** The exceeded limit. Such a policy isolates its Pods and allows nothing. */
  readonly problem: string | undefined;
}

/** A Pod of this node, with the policies of each direction; undefined when it is not isolated. */
export interface LocalPod {
  readonly address: string;
  readonly ingress: readonly string[] | undefined;
  readonly egress: readonly string[] | undefined;
}

/** The largest number of peers with selectors in one policy, and its largest size. */
export const policyLimits = { selectors: 1_000, size: 10_000 } as const;

/** The share of a chain or a set in a size: many of them load more slowly than as many rules. */
const costOfObject = 10;

/** Returns the rules of a policy. */
export function planPolicy(policy: NetworkPolicy): PolicyPlan {
  const { name = "", namespace = "" } = policy.metadata;
  const { podSelector, policyTypes = [], ingress = [], egress = [] } = policy.spec;
  const peers = [...ingress.map(({ from = [] }) => from), ...egress.map(({ to = [] }) => to)].flat();
  const selectors = peers.filter(({ ipBlock }) => ipBlock === undefined).length;
  // Checked first, because planning so many peers would take long.
  const tooMany =
    selectors > policyLimits.selectors
      ? `it has ${selectors} peers with selectors, more than ${policyLimits.selectors}`
      : undefined;
  const groups = new Map<string, PeerGroup>();
  const rule = (ports: readonly NetworkPolicyPort[] = [], others: readonly NetworkPolicyPeer[] = []) => ({
    ports: ports.length === 0 ? undefined : planPorts(ports),
    peers: others.length === 0 ? undefined : planPeers(others, namespace, groups),
  });
  const restricts = (type: "Egress" | "Ingress", byDefault: boolean) =>
    policyTypes.length === 0 ? byDefault : policyTypes.includes(type);
  const allowed = <T>(rules: readonly T[]) => (tooMany === undefined ? rules : []);
  const all = {
    ingress: restricts("Ingress", true)
      ? allowed(ingress).map(({ ports, from }) => rule(ports, from))
      : undefined,
    egress: restricts("Egress", egress.length > 0)
      ? allowed(egress).map(({ ports, to }) => rule(ports, to))
      : undefined,
  };
  const sets = new Set(directions.flatMap((direction) => (all[direction] ?? []).flatMap(setsOf)));
  const size = [...(all.ingress ?? []), ...(all.egress ?? [])].reduce(
    (sum, one) => sum + sizeOf(one),
    costOfObject * (1 + sets.size),
  );
  const tooLarge =
    size > policyLimits.size ? `it has the size ${size}, more than ${policyLimits.size}` : undefined;
  const plan = {
    key: `${namespace}/${name}`,
    namespace,
    selector: selectorFor(podSelector),
    ...all,
    groups: [...groups.values()],
    sets,
    size,
    problem: tooMany ?? tooLarge,
  };
  return plan.problem === undefined ? plan : denying(plan);
}

/** Reports whether a policy has rules for a direction. Without rules it isolates alone. */
export function allowsAny(plan: PolicyPlan, direction: Direction): boolean {
  return (plan[direction]?.length ?? 0) > 0;
}

/** Removes all rules, because a part of them would be another policy than its author wrote. */
export function denying(plan: PolicyPlan): PolicyPlan {
  const none = (rules: readonly AllowRule[] | undefined) => (rules === undefined ? undefined : []);
  return {
    ...plan,
    ingress: none(plan.ingress),
    egress: none(plan.egress),
    groups: [],
    sets: new Set(),
    size: costOfObject,
  };
}

/** Returns the number of kernel rules for one rule, and of the ranges in them. */
function sizeOf({ peers, ports }: AllowRule): number {
  const ranges = ports?.reduce((sum, { numbers = [] }) => sum + numbers.length, 0) ?? 0;
  const ofPorts = ports?.reduce((sum, { named, numbers }) => {
    return sum + named.length + (numbers?.length === 0 ? 0 : 1);
  }, 0);
  // Each match of peers is combined with each match of ports.
  const matches = { ports: ofPorts ?? 1, peers: peers === undefined ? 1 : peers.sets.length + 1 };
  return matches.peers * (matches.ports + ranges) + matches.ports * (peers?.blocks.length ?? 0);
}

function setsOf({ peers, ports = [] }: AllowRule): readonly string[] {
  return [...(peers?.sets ?? []), ...ports.flatMap(({ named }) => named)];
}

function planPorts(ports: readonly NetworkPolicyPort[]): readonly AllowedPorts[] {
  return protocols.flatMap((protocol): readonly AllowedPorts[] => {
    const own = ports.filter((one) => (one.protocol ?? "TCP") === protocol);
    if (own.length === 0) return [];
    const all = own.some(({ port }) => port === undefined);
    const numbers = own.flatMap(({ port, endPort }): Range[] =>
      typeof port === "number" ? [[port, Math.max(port, endPort ?? port)]] : [],
    );
    const names = own.flatMap(({ port }) => (typeof port === "string" ? [port] : []));
    const named = [...new Set(names)].flatMap((name) => portSet(protocol, name) ?? []);
    return [{ protocol, numbers: all ? undefined : union(numbers), named: all ? [] : named }];
  });
}

function planPeers(
  peers: readonly NetworkPolicyPeer[],
  namespace: string,
  groups: Map<string, PeerGroup>,
): AllowRule["peers"] {
  const blocks: Range[] = [];
  const sets = new Set<string>();
  for (const { podSelector, namespaceSelector, ipBlock } of peers) {
    if (ipBlock !== undefined) {
      blocks.push(...planBlock(ipBlock.cidr, ipBlock.except));
      continue;
    }
    const namespaces = namespaceSelector === undefined ? namespace : selectorFor(namespaceSelector);
    const pods = podSelector === undefined ? everything : selectorFor(podSelector);
    const group = { set: peerSet(namespaces, pods), namespaces, pods };
    groups.set(group.set, group);
    sets.add(group.set);
  }
  return { sets: [...sets], blocks: union(blocks) };
}

/** Returns no addresses for other families, and for exceptions that cannot be read. */
function planBlock(cidr: string, except: readonly string[] = []): Ranges {
  const range = rangeOf(cidr);
  const excluded = except.map(rangeOf);
  if (range === undefined || excluded.includes(undefined)) return [];
  return subtract(range, union(excluded.flatMap((one) => (one === undefined ? [] : [one]))));
}

/** An invalid selector, which only an earlier version could have stored, selects nothing. */
function selectorFor(selector: LabelSelector | undefined): Selector {
  try {
    return selectorOf(selector ?? {});
  } catch (error) {
    if (error instanceof SelectorError) return nothing;
    throw error;
  }
}

function peerSet(namespaces: string | Selector, pods: Selector): string {
  const parts = typeof namespaces === "string" ? ["in", namespaces] : ["with", ...textOf(namespaces)];
  return `peers/${hash(JSON.stringify([...parts, ...textOf(pods)]))}`;
}

function textOf(selector: Selector): readonly string[] {
  return [String(selector), String(selector === nothing)];
}

/** Returns the set of the Pods' ports with a name; undefined when no port can have the name. */
function portSet(protocol: string, name: string): string | undefined {
  return /^[a-z0-9-]{1,15}$/.test(name) ? `port/${protocol.toLowerCase()}/${name}` : undefined;
}

/** Shortens text to what fits into a name of the kernel. Long enough that nobody finds two texts with one hash. */
export function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

/** Returns a Pod's named ports, each as the name of the set and the port's number. */
export function namedPortsOf({ spec }: Pod): readonly (readonly [set: string, port: number])[] {
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  return [...spec.containers, ...sidecars].flatMap(({ ports = [] }) =>
    ports.flatMap(({ name = "", protocol = "TCP", containerPort }) => {
      const set = portSet(protocol, name);
      return set === undefined ? [] : [[set, containerPort] as const];
    }),
  );
}
