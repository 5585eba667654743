import type { Column } from "../../../meta/strategy.ts";
import { column } from "../../printing.ts";
import type { PriorityLevelConfiguration } from "./schema.ts";

const queuingOf = ({ spec }: PriorityLevelConfiguration) => spec.limited?.limitResponse.queuing;

export const priorityLevelColumns: readonly Column<PriorityLevelConfiguration>[] = [
  column("Type", "Whether requests are limited.", ({ spec }) => spec.type),
  column(
    "NominalConcurrencyShares",
    "The level's share of the server's concurrency.",
    ({ spec: { limited } }) => (limited === undefined ? "<none>" : (limited.nominalConcurrencyShares ?? 0)),
  ),
  column("Queues", "The number of queues.", (level) => queuingOf(level)?.queues ?? "<none>"),
  column("HandSize", "The number of queues of one flow.", (level) => queuingOf(level)?.handSize ?? "<none>"),
  column(
    "QueueLengthLimit",
    "The maximum number of waiting requests in a queue.",
    (level) => queuingOf(level)?.queueLengthLimit ?? "<none>",
  ),
];
