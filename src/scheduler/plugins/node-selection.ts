import type { Pod } from "../../api/core/pod/schema.ts";
import type { NodeSelectorRequirement, NodeSelectorTerm } from "../../api/core/v1/scheduling.ts";
import { type Plugin, normalizeToMax } from "../framework.ts";
import type { NodeInfo } from "../node-info.ts";
import { deepEqual } from "../../util/deep-equal.ts";

/** Rejects all nodes but the one that the Pod names. */
export const nodeName: Plugin = {
  name: "NodeName",
  filter: ({ spec }, node) =>
    spec.nodeName === undefined || spec.nodeName === node.name
      ? undefined
      : ["node(s) didn't match the requested node name"],
};

/** Filters by `nodeSelector` and required node affinity; scores by preferred node affinity. */
export const nodeAffinity: Plugin = {
  name: "NodeAffinity",
  filter: (pod, node) =>
    matchesNode(pod, node) ? undefined : ["node(s) didn't match Pod's node affinity/selector"],
  score: ({ spec }, node) =>
    (spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [])
      .filter(({ preference }) => matchesTerm(preference, node))
      .reduce((sum, { weight }) => sum + weight, 0),
  normalize: (scores) => normalizeToMax(scores),
  helps: (old, node) => old === undefined || !deepEqual(old.metadata.labels, node.metadata.labels),
};

export function matchesNode({ spec }: Pod, node: NodeInfo): boolean {
  const { labels = {} } = node.node.metadata;
  if (!Object.entries(spec.nodeSelector ?? {}).every(([key, value]) => labels[key] === value)) return false;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || required.nodeSelectorTerms.some((term) => matchesTerm(term, node));
}

/** Matches a node against a term. An empty term selects nothing. */
function matchesTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, node: NodeInfo): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  const { labels = {} } = node.node.metadata;
  return (
    matchExpressions.every((one) => holds(one, labels[one.key])) &&
    matchFields.every((one) => holds(one, one.key === "metadata.name" ? node.name : undefined))
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
