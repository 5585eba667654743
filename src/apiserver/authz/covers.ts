import type { PolicyRule } from "./authorizer.ts";
import { ruleAllows } from "./rules.ts";

/**
 * What other rules allow that the ones held do not, in rules of one verb on one thing each; empty when these
 * cover all (component-helpers `auth/rbac/validation.Covers`).
 */
export function uncovered(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] {
  const atoms = wanted.flatMap((rule) => [...atomsOf(rule)]);
  return atoms.filter((atom) => !held.some((rule) => allows(rule, atom))).map(ruleOf);
}

/** One verb on one thing. */
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
  // A rule for some names does not cover one for all of them.
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
