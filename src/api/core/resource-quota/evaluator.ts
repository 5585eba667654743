import { groupResource, type KubeObject } from "../../../meta/kind.ts";
import type { Amounts } from "../pod/resources.ts";
import { whole } from "./amounts.ts";
import type { ResourceQuota, ScopedResourceSelectorRequirement } from "./schema.ts";

/** A write that may use more of a quota. `old` is absent for a create. */
export interface QuotaWrite<O> {
  readonly subresource: string;
  readonly object: O;
  readonly old: O | undefined;
}

/**
 * The rules by which objects of one kind use quotas (upstream `quota.Evaluator`). Pure: the time is a parameter.
 */
export interface Evaluator<O extends KubeObject = KubeObject> {
  /** Reports whether objects of this kind use the resource. */
  uses(resource: string): boolean;
  /** Returns the usage of an object. */
  usage(object: O, now: number): Amounts;
  /** Reports whether an object is in the scope. */
  isInScope(object: O, requirement: ScopedResourceSelectorRequirement): boolean;
  /** Describes amounts that a quota of the resources requires and the object does not specify. */
  missing(object: O, resources: ReadonlySet<string>): string | undefined;
  /** Reports whether a write can use more of a quota. */
  charges(write: QuotaWrite<O>): boolean;
  /** Reports whether an update may have changed the usage without admission. */
  replenishes(object: O, old: O, now: number): boolean;
}

/** The rules of an object that counts as one, whatever it contains. */
export function countEvaluator(resources: readonly string[]): Evaluator {
  return {
    uses: (resource) => resources.includes(resource),
    usage: () => new Map(resources.map((name) => [name, whole(1)])),
    isInScope: () => false,
    missing: () => undefined,
    charges: ({ subresource, old }) => subresource === "" && old === undefined,
    replenishes: () => false,
  };
}

/** The resource by which a quota counts the objects of a kind, such as `count/jobs.batch`. */
export function countName(kind: { readonly group: string; readonly plural: string }): string {
  return `count/${groupResource(kind)}`;
}

/** Reports whether an object is in all scopes of a quota. */
export function isInScopes<O extends KubeObject>(
  evaluator: Pick<Evaluator<O>, "isInScope">,
  { scopes = [], scopeSelector }: ResourceQuota["spec"],
  object: O,
): boolean {
  return (
    scopes.every((scopeName) => evaluator.isInScope(object, { scopeName, operator: "Exists" })) &&
    (scopeSelector?.matchExpressions ?? []).every((one) => evaluator.isInScope(object, one))
  );
}

/** Reports whether a value, absent when empty, satisfies a requirement. */
export function holds(
  { operator, values = [] }: ScopedResourceSelectorRequirement,
  value: string | undefined,
): boolean {
  const isSet = value !== undefined && value !== "";
  switch (operator) {
    case "Exists":
      return isSet;
    case "DoesNotExist":
      return !isSet;
    case "In":
      return isSet && values.includes(value);
    case "NotIn":
      return !isSet || !values.includes(value);
    default:
      return false;
  }
}
