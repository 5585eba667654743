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
