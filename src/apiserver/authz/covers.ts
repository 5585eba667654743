import type { PolicyRule } from "./authorizer.ts";
import { ruleAllows } from "./rules.ts";

/** Whether rules that are held allow everything that another rule allows (component-helpers `auth/rbac/validation.Covers`). */
export function covers(held: readonly PolicyRule[], wanted: PolicyRule): boolean {
  return [...atoms(wanted)].every((atom) => held.some((rule) => allows(rule, atom)));
}

/** One verb on one thing. */
interface Atom {
  readonly verb: string;
  readonly path?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly name?: string;
}

function* atoms({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): Generator<Atom> {
  for (const verb of verbs) {
    for (const path of nonResourceURLs) yield { verb, path };
    for (const group of apiGroups) {
      for (const resource of resources) {
        if (resourceNames.length === 0) yield { verb, group, resource };
        else for (const name of resourceNames) yield { verb, group, resource, name };
      }
    }
  }
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
