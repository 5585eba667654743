/** A condition of a status, as far as all kinds share its form. */
export interface ConditionForm {
  readonly type?: string | undefined;
  readonly status?: string | undefined;
}

/** The condition of a type; undefined where the status has none. */
export function findCondition<C extends ConditionForm>(
  conditions: readonly C[] | undefined,
  type: string,
): C | undefined {
  return conditions?.find((one) => one.type === type);
}

/** Reports whether the condition of a type is there and `True` (apimachinery `IsStatusConditionTrue`). */
export function isConditionTrue(conditions: readonly ConditionForm[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === "True";
}
