import type { Column } from "../../../meta/strategy.ts";
import { column, nameColumn } from "../../printing.ts";
import type { ComponentStatus } from "./schema.ts";
import { findCondition } from "../../../meta/conditions.ts";

function conditionOf({ conditions }: ComponentStatus) {
  return findCondition(conditions, "Healthy");
}

export const componentStatusColumns: readonly Column<ComponentStatus>[] = [
  nameColumn,
  column("Status", "Whether the component is healthy.", (component) => {
    const condition = conditionOf(component);
    if (condition === undefined) return "Unknown";
    return condition.status === "True" ? "Healthy" : "Unhealthy";
  }),
  column("Message", "A human-readable explanation.", (component) => conditionOf(component)?.message ?? ""),
  column("Error", "An error code.", (component) => conditionOf(component)?.error ?? ""),
];
