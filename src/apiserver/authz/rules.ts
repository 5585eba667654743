import type { PathAccess, PolicyRule, ResourceAccess } from "./authorizer.ts";

const any = "*";

/** Reports whether one rule allows an action (component-helpers `auth/rbac/validation`). */
export function ruleAllows(rule: PolicyRule, verb: string, target: ResourceAccess | PathAccess): boolean {
  if (!has(rule.verbs, verb)) return false;
  return target.type === "path" ? pathAllowed(rule, target) : resourceAllowed(rule, target);
}

function resourceAllowed(
  { apiGroups = [], resources = [], resourceNames = [] }: PolicyRule,
  target: ResourceAccess,
): boolean {
  if (!has(apiGroups, target.group)) return false;
  const { resource, subresource, name } = target;
  const full = subresource === "" ? resource : `${resource}/${subresource}`;
  // `*/scale` matches that subresource of every resource.
  const found = has(resources, full) || (subresource !== "" && resources.includes(`*/${subresource}`));
  return found && (resourceNames.length === 0 || resourceNames.includes(name));
}

function pathAllowed({ nonResourceURLs = [] }: PolicyRule, { path }: PathAccess): boolean {
  return nonResourceURLs.some(
    (pattern) => pattern === path || (pattern.endsWith(any) && path.startsWith(pattern.slice(0, -1))),
  );
}

function has(values: readonly string[], value: string): boolean {
  return values.includes(any) || values.includes(value);
}
