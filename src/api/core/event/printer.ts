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

/** Events are listed by time; their names say nothing, so they come last. */
export const eventColumns: readonly Column<Event>[] = [
  column("Last Seen", "When it was last seen.", (event, now) => ago(lastSeen(event), now)),
  column("Type", "Normal or Warning.", ({ type }) => type ?? ""),
  column("Reason", "What happened, as one CamelCase word.", ({ reason }) => reason ?? ""),
  column("Object", "To what it happened.", targetText),
  wide(
    column("Subobject", "The part of the object.", ({ involvedObject }) => involvedObject.fieldPath ?? ""),
  ),
  wide(column("Source", "Who saw it.", sourceText)),
  column("Message", "What happened, for people.", ({ message }) => message?.trim() ?? ""),
  wide(column("First Seen", "When it was first seen.", (event, now) => ago(firstSeen(event), now))),
  wide({
    ...integer<Event>("Count", "How often it was seen.", ({ series, count }) =>
      series === undefined ? (count ?? 1) : (series.count ?? 0),
    ),
    type: "string",
  }),
  wide(nameColumn),
];
