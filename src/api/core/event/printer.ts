import type { Column } from "../../../meta/strategy.ts";
import { ago, column, integer, nameColumn, wide } from "../../printing.ts";
import type { Event } from "./schema.ts";

const firstSeen = ({ firstTimestamp, eventTime }: Event) => firstTimestamp ?? eventTime;

const lastSeen = (event: Event) => event.series?.lastObservedTime ?? event.lastTimestamp ?? firstSeen(event);

function targetText({ involvedObject: { kind = "", name } }: Event): string {
  return name === undefined ? kind.toLowerCase() : `${kind.toLowerCase()}/${name}`;
}

function sourceText({ source, reportingComponent, reportingInstance }: Event): string {
  const component = source.component ?? reportingComponent;
  const instance = source.host ?? reportingInstance;
  return instance === "" ? component : `${component}, ${instance}`;
}

/** The columns of Events. The name is the last column, because it is generated. */
export const eventColumns: readonly Column<Event>[] = [
  column("Last Seen", "The time since the last occurrence.", (event, now) => ago(lastSeen(event), now)),
  column("Type", "Normal or Warning.", ({ type }) => type ?? ""),
  column("Reason", "A machine-readable reason, as one CamelCase word.", ({ reason }) => reason ?? ""),
  column("Object", "The object of the event.", targetText),
  wide(
    column(
      "Subobject",
      "The affected part of the object.",
      ({ involvedObject }) => involvedObject.fieldPath ?? "",
    ),
  ),
  wide(column("Source", "The reporter of the event.", sourceText)),
  column("Message", "A human-readable description.", ({ message }) => message?.trim() ?? ""),
  wide(
    column("First Seen", "The time since the first occurrence.", (event, now) => ago(firstSeen(event), now)),
  ),
  wide({
    ...integer<Event>("Count", "The number of occurrences.", ({ series, count }) =>
      series === undefined ? (count ?? 1) : (series.count ?? 0),
    ),
    type: "string",
  }),
  wide(nameColumn),
];
