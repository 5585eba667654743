import { type FieldError, type FieldPath, invalid, requiredValue, root } from "../../../meta/field-error.ts";
import { validateImmutable } from "../../../meta/validation/immutable.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import { validateEvent } from "../../core/event/validation.ts";
import { toCore } from "./conversion.ts";
import type { Event } from "./schema.ts";

/** Error paths are those of the core version, because upstream validates the stored form. */
const at = (name: string): FieldPath => root.child(name);

export function* validateSeriesEvent(event: Event): Generator<FieldError> {
  yield* validateEvent(toCore(event), "reportingController");
}

/** Forbids the deprecated fields in new events. */
export function* validateSeriesEventCreate(event: Event): Generator<FieldError> {
  yield* validateSeries(event);
  if ((event.eventTime ?? "") === "") yield requiredValue(at("eventTime"));
  const type: string = event.type ?? "";
  if (type !== "Normal" && type !== "Warning") yield invalid(at("type"), "", `has invalid value: ${type}`);
  const old = {
    firstTimestamp: event.deprecatedFirstTimestamp,
    lastTimestamp: event.deprecatedLastTimestamp,
    count: event.deprecatedCount,
    source: event.deprecatedSource.component ?? event.deprecatedSource.host,
  };
  for (const [name, value] of Object.entries(old)) {
    if (value !== undefined) yield invalid(at(name), "", "needs to be unset");
  }
}

const frozen = [
  "involvedObject",
  "reason",
  "message",
  "source",
  "firstTimestamp",
  "lastTimestamp",
  "count",
  "type",
  "eventTime",
  "action",
  "related",
] as const;

/** Only permits changes of the series. */
export function* validateSeriesEventUpdate(event: Event, old: Event): Generator<FieldError> {
  if (!deepEqual(event.series, old.series)) yield* validateSeries(event);
  const [now, before] = [toCore(event), toCore(old)];
  for (const name of frozen) yield* validateImmutable(now[name], before[name], at(name));
  for (const name of ["reportingController", "reportingInstance"] as const) {
    yield* validateImmutable(event[name], old[name], at(name));
  }
}

function* validateSeries({ series }: Event): Generator<FieldError> {
  if (series === undefined) return;
  if (series.count < 2) yield invalid(at("series.count"), "", "should be at least 2");
  if ((series.lastObservedTime ?? "") === "") yield requiredValue(at("series.lastObservedTime"));
}
