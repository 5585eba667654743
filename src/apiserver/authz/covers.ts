import type { PolicyRule } from "./authorizer.ts";
import { errors } from "../../meta/status.ts";
import { ruleAllows } from "./rules.ts";

/**
 * Returns the wanted permissions that the held rules do not cover, as rules of one verb on one resource each;
 * empty when all are covered (component-helpers `auth/rbac/validation.Covers`).
 *
 * @throws StatusError 413 when the rules grant more than a request may take the time to check
 */
export function uncovered(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] {
  const missing: Atom[] = [];
  const weight = held.reduce((sum, rule) => sum + weightOf(rule), 1);
  let left = Math.min(mostGrants, Math.floor(mostComparisons / weight));
  for (const rule of wanted) {
    for (const atom of atomsOf(rule)) {
      if (left-- === 0) throw errors.tooLarge(`Request entity too large: the rules grant too much to check`);
      if (held.some((rule) => allows(rule, atom))) continue;
      missing.push(atom);
      if (missing.length === mostMissing) return missing.map(ruleOf);
    }
  }
  return missing.map(ruleOf);
}

/**
 * Bounds of a check, because a rule grants the product of its lists: three lists of 400 names grant 64
 * million permissions. They bound the permissions, the comparisons of names, and the missing permissions in
 * an answer.
 */
const mostGrants = 100_000;
const mostComparisons = 20_000_000;
const mostMissing = 1_000;

/** Returns the number of names in a rule, which bounds the comparisons of one check of the rule. */
function weightOf({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): number {
  const lists = [verbs, apiGroups, resources, resourceNames, nonResourceURLs];
  return lists.reduce((sum, list) => sum + (list?.length ?? 0), 0);
}

/** One verb on one resource or path. */
interface Atom {
  readonly verb: string;
  readonly path?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly name?: string;
}

function* atomsOf({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): Generator<Atom> {
  for (const group of apiGroups) {
    for (const resource of resources) {
      for (const verb of verbs) {
        if (resourceNames.length === 0) yield { verb, group, resource };
        else for (const name of resourceNames) yield { verb, group, resource, name };
      }
    }
  }
  for (const path of nonResourceURLs) for (const verb of verbs) yield { verb, path };
}

function ruleOf({ verb, path, group = "", resource = "", name }: Atom): PolicyRule {
  if (path !== undefined) return { verbs: [verb], nonResourceURLs: [path] };
  const rule = { verbs: [verb], apiGroups: [group], resources: [resource] };
  return name === undefined ? rule : { ...rule, resourceNames: [name] };
}

function allows(rule: PolicyRule, { verb, path, group = "", resource: full = "", name }: Atom): boolean {
  if (path !== undefined) return ruleAllows(rule, verb, { type: "path", path });
  // A rule for some names does not cover one for all names.
  if (name === undefined && (rule.resourceNames ?? []).length > 0) return false;
  const [resource = "", subresource = ""] = full.split("/", 2);
  return ruleAllows(rule, verb, {
    type: "resource",
    group,
    version: "",
    namespace: "",
    resource,
    subresource,
    name: name ?? "",
  });
}
