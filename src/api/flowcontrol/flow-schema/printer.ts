import type { Column } from "../../../meta/strategy.ts";
import { ageColumn, column, nameColumn, orNone } from "../../printing.ts";
import type { FlowSchema } from "./schema.ts";
import { findCondition } from "../../../meta/conditions.ts";

export const flowSchemaColumns: readonly Column<FlowSchema>[] = [
  nameColumn,
  column("PriorityLevel", "The priority level.", ({ spec }) => spec.priorityLevelConfiguration.name),
  column("MatchingPrecedence", "Its rank among schemas.", ({ spec }) => spec.matchingPrecedence),
  column("DistinguisherMethod", "What makes a flow of its own.", ({ spec }) =>
    orNone(spec.distinguisherMethod?.type),
  ),
  ageColumn,
  column("MissingPL", "Whether the priority level is missing.", missingText),
];

/** As requests are matched. */
export const compareFlowSchemas = (a: FlowSchema, b: FlowSchema): number =>
  a.spec.matchingPrecedence - b.spec.matchingPrecedence;

function missingText({ status: { conditions } }: FlowSchema): string {
  const dangling = findCondition(conditions, "Dangling");
  return dangling === undefined ? "?" : (dangling.status ?? "");
}
