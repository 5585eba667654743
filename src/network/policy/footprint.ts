import { isIPv4 } from "node:net";
import type { Pod } from "../../api/core/pod/schema.ts";
import type { Labels } from "../../meta/labels.ts";
import { type Direction, type LocalPod, namedPortsOf, type PolicyPlan } from "./plan.ts";

/** All that one Pod adds to the rules of a node. */
export interface Footprint {
  /** The elements of sets: the address, or the address and a port. */
  readonly elements: readonly (readonly [set: string, element: string])[];
  /** Undefined for a Pod of another node. */
  readonly local: LocalPod | undefined;
  /** The policies beyond the limit for one Pod. They isolate it and allow nothing. */
  readonly unused: readonly string[];
}

/** The largest number of policies that allow connections of one Pod in one direction. */
export const podLimit = 1_000;

/** The policies of a cluster, as far as one namespace needs them. */
export interface Selections {
  /** The sets of peers to which a Pod with these labels belongs. */
  groupsOf(labels: Labels | undefined): readonly string[];
  /** The policies that select a Pod with these labels, sorted. */
  policiesOf(labels: Labels | undefined): readonly PolicyPlan[];
}

const none: Footprint = { elements: [], local: undefined, unused: [] };

/**
 * Returns what a Pod adds to the rules. A Pod on the host's network adds nothing, because its address is the node's.
 * Neither does a finished Pod, because its address may be another Pod's. A terminating Pod counts until it has
 * finished: it still runs, and must stay isolated.
 */
export function footprintOf(pod: Pod, nodeName: string, selections: Selections): Footprint {
  const { metadata, spec, status } = pod;
  const address = addressOf(pod);
  const finished = status.phase === "Succeeded" || status.phase === "Failed";
  if (address === undefined || finished || spec.hostNetwork === true) return none;
  const elements = [
    ...selections.groupsOf(metadata.labels).map((set) => [set, address] as const),
    ...namedPortsOf(pod).map(([set, port]) => [set, `${address} . ${port}`] as const),
  ];
  if (spec.nodeName !== nodeName) return { elements, local: undefined, unused: [] };
  const policies = selections.policiesOf(metadata.labels);
  const isolating = (direction: Direction) => {
    const keys = policies.filter((policy) => policy[direction] !== undefined).map(({ key }) => key);
    return keys.length === 0 ? undefined : keys;
  };
  const [ingress, egress] = [isolating("ingress"), isolating("egress")];
  const local = { address, ingress: ingress?.slice(0, podLimit), egress: egress?.slice(0, podLimit) };
  return { elements, local, unused: [ingress, egress].flatMap((keys) => keys?.slice(podLimit) ?? []) };
}

function addressOf({ status }: Pod): string | undefined {
  const { podIP = "", podIPs = [] } = status;
  return [podIP, ...podIPs.map(({ ip }) => ip)].find((address) => isIPv4(address));
}
