import type { CustomResourceDefinition } from "../../api/apiextensions/custom-resource-definition/schema.ts";
import { isConditionTrue } from "../../meta/conditions.ts";

export type Conditions = CustomResourceDefinition["status"]["conditions"];
export type Condition = Conditions[number];

/** A wanted condition, without its time. */
export type Wanted = Required<Pick<Condition, "type" | "status" | "reason" | "message">>;

type WithConditions = Pick<CustomResourceDefinition, "status">;

export function isTrue({ status: { conditions } }: WithConditions, type: string): boolean {
  return isConditionTrue(conditions, type);
}
