import type { Node, Pod } from "../../src/api/index.ts";
import { selectorOf } from "../../src/meta/labels.ts";
import type { LabelSelector } from "../../src/meta/v1.ts";
import { podRequest, Resources } from "../../src/scheduler/resources.ts";

/** A rule that counts Pods of the namespace by topology domain. */
interface Rule {
  readonly labelSelector?: LabelSelector | undefined;
  readonly topologyKey: string;
}

/** A bound Pod with its node. */
interface Placed {
  readonly pod: Pod;
  readonly node: Node;
}

/**
 * The constraints that bound Pods violate: the room of nodes, required affinity and anti-affinity, and spread. Holds for
 * Pods of which none has left since the others were bound.
 */
export function violations(nodes: readonly Node[], pods: readonly Pod[]): readonly string[] {
  const byName = new Map(nodes.map((node) => [node.metadata.name, node]));
  const placed = pods.flatMap((pod): Placed[] => {
    const node = byName.get(pod.spec.nodeName);
    const hasEnded = pod.status.phase === "Succeeded" || pod.status.phase === "Failed";
    return node === undefined || hasEnded ? [] : [{ pod, node }];
  });
  return [...overcommitted(placed), ...brokenRules(nodes, placed)];
}

function* overcommitted(placed: readonly Placed[]): Generator<string> {
  for (const [node, own] of Map.groupBy(placed, (one) => one.node)) {
    const room = Resources.of(node.status.allocatable);
    const used = new Resources();
    for (const { pod } of own) used.add(podRequest(pod));
    used.pods = own.length;
    for (const name of ["cpu", "memory", "pods"])
      if (used.get(name) > room.get(name))
        yield `the node ${node.metadata.name} is overcommitted: ${used.get(name)} of ${room.get(name)} ${name}`;
  }
}

function* brokenRules(nodes: readonly Node[], placed: readonly Placed[]): Generator<string> {
  const countsOf = counter(nodes, placed);
  for (const { pod, node } of placed) {
    const { affinity, topologySpreadConstraints = [] } = pod.spec;
    const { name, namespace, labels } = pod.metadata;
    const here = ({ topologyKey }: Rule) => node.metadata.labels?.[topologyKey] ?? "";
    const isOwn = ({ labelSelector }: Rule) => selectorOf(labelSelector).matches(labels);
    const others = (rule: Rule) => (countsOf(namespace, rule).get(here(rule)) ?? 0) - (isOwn(rule) ? 1 : 0);
    const total = (rule: Rule) =>
      countsOf(namespace, rule)
        .values()
        .reduce((sum, one) => sum + one, 0);
    for (const rule of affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [])
      if (others(rule) > 0) yield `the Pod ${name} is beside ${others(rule)} that it keeps away from`;
    for (const rule of affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [])
      // The first Pod of its kind may be alone.
      if (others(rule) === 0 && !(isOwn(rule) && total(rule) === 1))
        yield `the Pod ${name} is beside none of those that it needs`;
    for (const rule of topologySpreadConstraints) {
      const counts = [...countsOf(namespace, rule).values()];
      const skew = Math.max(...counts) - Math.min(...counts);
      if (rule.whenUnsatisfiable === "DoNotSchedule" && skew > rule.maxSkew)
        yield `the Pod ${name} is in domains of the skew ${skew}`;
    }
  }
}

/** Counts the Pods that a rule is about, by topology domain; once for all Pods with the rule. */
function counter(nodes: readonly Node[], placed: readonly Placed[]) {
  const known = new Map<string, ReadonlyMap<string, number>>();
  return (namespace: string | undefined, { labelSelector, topologyKey }: Rule) => {
    const key = JSON.stringify([namespace, labelSelector, topologyKey]);
    const found = known.get(key);
    if (found !== undefined) return found;
    const selector = selectorOf(labelSelector);
    const domainOf = ({ metadata }: Node) => metadata.labels?.[topologyKey] ?? "";
    const counts = new Map(nodes.map((node) => [domainOf(node), 0]));
    for (const { pod, node } of placed) {
      if (pod.metadata.namespace !== namespace || !selector.matches(pod.metadata.labels)) continue;
      counts.set(domainOf(node), (counts.get(domainOf(node)) ?? 0) + 1);
    }
    known.set(key, counts);
    return counts;
  };
}
