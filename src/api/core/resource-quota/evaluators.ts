import { groupResource } from "../../../meta/kind.ts";
import { claimEvaluator } from "./claim-evaluator.ts";
import { deviceEvaluator } from "./device-evaluator.ts";
import { countEvaluator, countName, type Evaluator } from "./evaluator.ts";
import { podEvaluator } from "./pod-evaluator.ts";
import { serviceEvaluator } from "./service-evaluator.ts";

/** A kind as quotas refer to it. */
export interface CountedKind {
  readonly group: string;
  readonly plural: string;
}

/** Kinds that no quota counts (upstream `quota/v1/install`). */
const ignored: ReadonlySet<string> = new Set(["bindings", "events", "events.events.k8s.io"]);

/** Kinds with rules beyond their count, by `plural.group`. */
const special: ReadonlyMap<string, Evaluator> = new Map<string, Evaluator>([
  ["pods", podEvaluator],
  ["services", serviceEvaluator],
  ["persistentvolumeclaims", claimEvaluator],
  ["resourceclaims.resource.k8s.io", deviceEvaluator],
]);

/** Kinds of the core group that a quota may also count by their plural. */
const plain: ReadonlySet<string> = new Set([
  "configmaps",
  "replicationcontrollers",
  "resourcequotas",
  "secrets",
]);

const made = new WeakMap<CountedKind, Evaluator>();

/** Returns the rules of a kind; undefined for a kind that no quota counts. */
export function evaluatorOf(kind: CountedKind): Evaluator | undefined {
  const known = made.get(kind);
  if (known !== undefined) return known;
  const name = groupResource(kind);
  if (ignored.has(name)) return undefined;
  const names = [countName(kind), ...(plain.has(name) ? [name] : [])];
  const evaluator = special.get(name) ?? countEvaluator(names);
  made.set(kind, evaluator);
  return evaluator;
}

/** Returns the kinds that a quota's resources count one by one. */
export function countedKinds(resources: readonly string[]): readonly CountedKind[] {
  const names = resources.map((one) => (plain.has(one) ? one : /^count\/(.+)$/.exec(one)?.[1]));
  return [...new Set(names)].flatMap((name) => {
    if (name === undefined || special.has(name) || ignored.has(name)) return [];
    const dot = name.indexOf(".");
    const [plural, group] = dot < 0 ? [name, ""] : [name.slice(0, dot), name.slice(dot + 1)];
    return [{ group, plural }];
  });
}
