import { formatTime } from "../util/clock.ts";

/** The fields of a condition that all kinds share. */
export interface ConditionForm {
  readonly type?: string | undefined;
  readonly status?: string | undefined;
}

/** Returns the condition of a type; undefined when the status has none. */
export function findCondition<C extends ConditionForm>(
  conditions: readonly C[] | undefined,
  type: string,
): C | undefined {
  return conditions?.find((one) => one.type === type);
}

/** Reports whether the condition of a type exists and is `True` (apimachinery `IsStatusConditionTrue`). */
export function isConditionTrue(conditions: readonly ConditionForm[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === "True";
}

/** The fields of a condition that is set. */
export interface SettableCondition extends ConditionForm {
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly observedGeneration?: number | undefined;
  readonly lastTransitionTime?: string | undefined;
}

/** A condition without its time. */
export type ConditionChange<C extends SettableCondition> = Omit<C, "lastTransitionTime">;

/**
 * Returns the conditions with one set, whose transition time changes with its status only (apimachinery
 * `SetStatusCondition`). Returns the same list when nothing changes. `now` is in ms since the epoch.
 */
export function withCondition<C extends SettableCondition>(
  conditions: readonly C[],
  change: ConditionChange<C>,
  now: number,
): readonly C[] {
  const old = findCondition(conditions, change.type ?? "");
  // Safe: with its time, the change is a whole condition.
  if (old === undefined) return [...conditions, { ...change, lastTransitionTime: formatTime(now) } as C];
  const { status, reason, message, observedGeneration, lastTransitionTime } = { ...old, ...change };
  const isSame = status === old.status && reason === old.reason && message === old.message;
  if (isSame && observedGeneration === old.observedGeneration) return conditions;
  const keeps = status === old.status && lastTransitionTime !== undefined;
  return withReplaced(conditions, {
    ...old,
    ...change,
    lastTransitionTime: keeps ? lastTransitionTime : formatTime(now),
  });
}

/** Returns the conditions with one replaced as it is, or appended. */
export function withReplaced<C extends ConditionForm>(conditions: readonly C[], next: C): readonly C[] {
  return findCondition(conditions, next.type ?? "") === undefined
    ? [...conditions, next]
    : conditions.map((one) => (one.type === next.type ? next : one));
}

/** Returns the conditions without one; the same list when it is missing. */
export function withoutCondition<C extends ConditionForm>(
  conditions: readonly C[],
  type: string,
): readonly C[] {
  return findCondition(conditions, type) === undefined
    ? conditions
    : conditions.filter((one) => one.type !== type);
}
