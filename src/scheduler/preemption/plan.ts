import type { Pod } from "../../api/core/pod/schema.ts";
import { findCondition } from "../../meta/conditions.ts";
import { errorText } from "../../util/error-text.ts";
import { randomInt } from "../../util/random.ts";
import type { PluginArguments } from "../configuration/arguments.ts";
import { prepareCycle } from "../decide/cycle.ts";
import type { Candidate, Plugin, PostFilterContext, Preemption } from "../framework.ts";
import type { Snapshot } from "../snapshot.ts";
import { chooseCandidate } from "./choose.ts";
import { preempted } from "./evict-victims.ts";
import { priorityOf } from "./importance.ts";
import { victimsOn } from "./victims.ts";

/** Removes less important Pods to make room for a Pod that fits on no node. */
export function defaultPreemption(args: Arguments = {}): Plugin {
  return { name: "DefaultPreemption", postFilter: (pod, context) => planPreemption(pod, context, args) };
}

type Arguments = NonNullable<PluginArguments["DefaultPreemption"]>;

/** Decides which Pods make room for a Pod that fits on no node (scheduler `framework/preemption`). Pure but for the random start, and for extenders. */
function planPreemption(
  pod: Pod,
  { snapshot, plugins, budgets, resolvable, random, extend }: PostFilterContext,
  { minCandidateNodesAbsolute: fewest = 100, minCandidateNodesPercentage: share = 10 }: Arguments,
): Preemption | Promise<Preemption> {
  if (pod.spec.preemptionPolicy === "Never")
    return none("preemption: not eligible due to preemptionPolicy=Never.");
  if (isUnderWay(pod, snapshot, resolvable)) {
    const why = "preemption: not eligible due to a terminating pod on the nominated node.";
    return { type: "none", why, isUnderWay: true };
  }
  const cycle = prepareCycle(pod, plugins, snapshot);
  if ("rejection" in cycle) return none(noneHelps(snapshot, 0, new Map()));
  const nodes = resolvable.map((name) => snapshot.node(name)).filter((node) => node !== undefined);
  const wanted = Math.max(fewest, Math.floor((nodes.length * share) / 100));
  const start = nodes.length === 0 ? 0 : randomInt(random, nodes.length);
  const candidates: Candidate[] = [];
  const reasons = new Map<string, number>();
  let tried = 0;
  // With enough candidates, the search goes on for one that violates no budget.
  const isEnough = () => candidates.length >= wanted && candidates.some(({ violations }) => violations === 0);
  for (let i = 0; i < nodes.length && !isEnough(); i++) {
    const node = nodes[(start + i) % nodes.length];
    if (node === undefined) continue;
    const found = victimsOn(pod, node, cycle, budgets, snapshot);
    tried += 1;
    if ("victims" in found) candidates.push(found);
    else for (const reason of found.reasons) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  if (candidates.length === 0) return none(noneHelps(snapshot, tried, reasons));
  return extend === undefined ? choose(candidates) : chooseExtended(candidates, extend);
}

function choose(candidates: readonly Candidate[]): Preemption {
  const candidate = chooseCandidate(candidates);
  return candidate === undefined ? none("no candidate node for preemption") : { type: "preempt", candidate };
}

/** An extender that fails leaves the Pod where it is, with the error as the reason. */
async function chooseExtended(
  candidates: readonly Candidate[],
  extend: NonNullable<PostFilterContext["extend"]>,
): Promise<Preemption> {
  try {
    return choose(await extend(candidates));
  } catch (error) {
    return none(errorText(error));
  }
}

function none(why: string): Preemption {
  return { type: "none", why, isUnderWay: false };
}

/**
 * Reports whether victims of an earlier attempt are still terminating, on a node that can still help
 * (`PodEligibleToPreemptOthers`).
 */
function isUnderWay(pod: Pod, snapshot: Snapshot, resolvable: readonly string[]): boolean {
  const { nominatedNodeName = "" } = pod.status;
  const nominated = resolvable.includes(nominatedNodeName) ? snapshot.node(nominatedNodeName) : undefined;
  return [...(nominated?.pods.values() ?? [])].some(
    (one) => priorityOf(one) < priorityOf(pod) && isTerminatingVictim(one),
  );
}

function isTerminatingVictim({ metadata, status }: Pod): boolean {
  const target = findCondition(status.conditions, "DisruptionTarget");
  return metadata.deletionTimestamp !== undefined && target?.status === "True" && target.reason === preempted;
}

function noneHelps({ nodes }: Snapshot, tried: number, reasons: ReadonlyMap<string, number>): string {
  const all = new Map(reasons);
  if (tried < nodes.length) all.set("Preemption is not helpful for scheduling", nodes.length - tried);
  const counted = [...all].map(([reason, count]) => `${count} ${reason}`).sort();
  return `preemption: 0/${nodes.length} nodes are available: ${counted.join(", ")}.`;
}
