import type { CustomResourceDefinition } from "../../api/apiextensions/custom-resource-definition/schema.ts";
import { formatTime } from "../../util/clock.ts";
import { findCondition, isConditionTrue } from "../../meta/conditions.ts";

export type Conditions = CustomResourceDefinition["status"]["conditions"];
export type Condition = Conditions[number];

/** A wanted condition, without its time. */
export type Wanted = Required<Pick<Condition, "type" | "status" | "reason" | "message">>;

type WithConditions = Pick<CustomResourceDefinition, "status">;

export function isTrue({ status: { conditions } }: WithConditions, type: string): boolean {
  return isConditionTrue(conditions, type);
}

/**
 * Returns the list with one condition updated; the same list when nothing changes. `now` is in milliseconds.
 */
export function withCondition(conditions: Conditions, wanted: Wanted, now: number): Conditions {
  const old = findCondition(conditions, wanted.type);
  if (old === undefined) return [...conditions, { ...wanted, lastTransitionTime: formatTime(now) }];
  const { status, reason, message, lastTransitionTime } = old;
  if (status === wanted.status && reason === wanted.reason && message === wanted.message) return conditions;
  const keepsTime = status === wanted.status && lastTransitionTime !== undefined;
  const next = {
    ...old,
    ...wanted,
    lastTransitionTime: keepsTime ? lastTransitionTime : formatTime(now),
  };
  return conditions.map((one) => (one === old ? next : one));
}

/** Returns the list without a condition; the same list when the condition is missing. */
export function withoutCondition(conditions: Conditions, type: string): Conditions {
  return findCondition(conditions, type) === undefined
    ? conditions
    : conditions.filter((one) => one.type !== type);
}
