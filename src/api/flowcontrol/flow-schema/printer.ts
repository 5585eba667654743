import type { Column } from "../../../meta/strategy.ts";
import { ageColumn, column, nameColumn, orNone } from "../../printing.ts";
import type { FlowSchema } from "./schema.ts";
import { findCondition } from "../../../meta/conditions.ts";

export const flowSchemaColumns: readonly Column<FlowSchema>[] = [
  nameColumn,
  column("PriorityLevel", "The priority level.", ({ spec }) => spec.priorityLevelConfiguration.name),
  column(
    "MatchingPrecedence",
    "The order of evaluation; lower numbers come first.",
    ({ spec }) => spec.matchingPrecedence,
  ),
  column("DistinguisherMethod", "The method that distinguishes flows.", ({ spec }) =>
    orNone(spec.distinguisherMethod?.type),
  ),
  ageColumn,
  column("MissingPL", "Whether the priority level is missing.", missingText),
];

/** The order in which FlowSchemas are matched. */
export const compareFlowSchemas = (a: FlowSchema, b: FlowSchema): number =>
  a.spec.matchingPrecedence - b.spec.matchingPrecedence;

function missingText({ status: { conditions } }: FlowSchema): string {
  const dangling = findCondition(conditions, "Dangling");
  return dangling === undefined ? "?" : (dangling.status ?? "");
}
