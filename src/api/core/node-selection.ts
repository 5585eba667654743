import type { Node } from "./node/schema.ts";
import type { Pod } from "./pod/schema.ts";
import type { NodeSelectorRequirement, NodeSelectorTerm } from "./v1/scheduling.ts";
import { labelOf } from "../../meta/labels.ts";

/** The nodes that a Pod demands, by its `nodeSelector` and its required node affinity. */
export interface NodeSelection {
  readonly labels: readonly (readonly [key: string, value: string])[];
  /** At least one of them must match; undefined without a required node affinity. */
  readonly terms: readonly NodeSelectorTerm[] | undefined;
  /** The names of the only nodes that can match, where every term names its nodes. */
  readonly names: ReadonlySet<string> | undefined;
}

/** Undefined for a Pod that may run on every node. */
export function nodeSelectionOf({ spec }: Pick<Pod, "spec">): NodeSelection | undefined {
  const terms =
    spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const labels = Object.entries(spec.nodeSelector ?? {});
  if (terms === undefined && labels.length === 0) return undefined;
  return { labels, terms, names: terms === undefined ? undefined : namesOf(terms) };
}

function namesOf(terms: readonly NodeSelectorTerm[]): ReadonlySet<string> | undefined {
  const names = new Set<string>();
  for (const { matchFields = [] } of terms) {
    const byName = matchFields.find(({ key, operator }) => key === "metadata.name" && operator === "In");
    if (byName === undefined) return undefined;
    for (const name of byName.values ?? []) names.add(name);
  }
  return names;
}

export function matchesNodeSelector({ labels, terms }: NodeSelection, node: Node): boolean {
  const present = node.metadata.labels;
  for (const [key, value] of labels) if (labelOf(present, key) !== value) return false;
  return terms === undefined || terms.some((term) => matchesTerm(term, node));
}

/** Matches a node against a term. An empty term selects nothing. */
export function matchesTerm(
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  { metadata }: Node,
): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  return (
    matchExpressions.every((one) => holds(one, labelOf(metadata.labels, one.key))) &&
    matchFields.every((one) => holds(one, one.key === "metadata.name" ? metadata.name : undefined))
  );
}

function holds({ operator, values = [] }: NodeSelectorRequirement, actual: string | undefined): boolean {
  const [first = ""] = values;
  switch (operator) {
    case "In":
      return actual !== undefined && values.includes(actual);
    case "NotIn":
      return actual === undefined || !values.includes(actual);
    case "Exists":
      return actual !== undefined;
    case "DoesNotExist":
      return actual === undefined;
    case "Gt":
      return isInteger(actual) && isInteger(first) && BigInt(actual) > BigInt(first);
    case "Lt":
      return isInteger(actual) && isInteger(first) && BigInt(actual) < BigInt(first);
    default:
      return false;
  }
}

function isInteger(text: string | undefined): text is string {
  return text !== undefined && /^-?\d+$/.test(text);
}
