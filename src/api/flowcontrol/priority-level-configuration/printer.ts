import type { Column } from "../../../meta/strategy.ts";
import { column } from "../../printing.ts";
import type { PriorityLevelConfiguration } from "./schema.ts";

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
