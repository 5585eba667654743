import type { Column } from "../../meta/strategy.ts";
import { ageColumn, column, nameColumn, orNone } from "../printing.ts";
import type { FlowSchema } from "./v1/flow-schema.ts";
import type { PriorityLevelConfiguration } from "./v1/priority-level-configuration.ts";

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

function missingText({ status: { conditions = [] } }: FlowSchema): string {
  const dangling = conditions.find(({ type }) => type === "Dangling");
  return dangling === undefined ? "?" : (dangling.status ?? "");
}

const queuingOf = ({ spec }: PriorityLevelConfiguration) => spec.limited?.limitResponse.queuing;

export const priorityLevelColumns: readonly Column<PriorityLevelConfiguration>[] = [
  column("Type", "Whether requests are limited.", ({ spec }) => spec.type),
  column("NominalConcurrencyShares", "Its share of the server's seats.", ({ spec: { limited } }) =>
    limited === undefined ? "<none>" : (limited.nominalConcurrencyShares ?? 0),
  ),
  column("Queues", "How many queues.", (level) => queuingOf(level)?.queues ?? "<none>"),
  column("HandSize", "How many of them one flow uses.", (level) => queuingOf(level)?.handSize ?? "<none>"),
  column(
    "QueueLengthLimit",
    "How many requests may wait in a queue.",
    (level) => queuingOf(level)?.queueLengthLimit ?? "<none>",
  ),
];
