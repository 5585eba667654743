import type { Event as CoreEvent } from "../../core/event/schema.ts";
import type { Event } from "./schema.ts";
import { present } from "../../../util/present.ts";

/**
 * Converts an event to the core group. Both groups show the same stored events. Only names of fields differ,
 * so a conversion and its inverse give an equal event.
 */
export function toCore(event: Event): CoreEvent {
  const {
    regarding,
    note,
    reportingController = "",
    reportingInstance = "",
    deprecatedSource,
    deprecatedFirstTimestamp,
    deprecatedLastTimestamp,
    deprecatedCount,
    ...same
  } = event;
  return {
    ...same,
    apiVersion: "v1",
    involvedObject: regarding,
    source: deprecatedSource,
    reportingComponent: reportingController,
    reportingInstance,
    ...present({
      message: note,
      firstTimestamp: deprecatedFirstTimestamp,
      lastTimestamp: deprecatedLastTimestamp,
      count: deprecatedCount,
    }),
  };
}

/** `eventTime` and `series` are absent in events that use the deprecated fields. */
type Converted = Omit<Event, "eventTime" | "series"> & {
  readonly eventTime?: string;
  readonly series?: Partial<NonNullable<Event["series"]>>;
};

export function fromCore(event: CoreEvent): Converted {
  const {
    involvedObject,
    message,
    source,
    firstTimestamp,
    lastTimestamp,
    count,
    reportingComponent,
    reportingInstance,
    series,
    ...same
  } = event;
  return {
    ...same,
    apiVersion: "events.k8s.io/v1",
    regarding: involvedObject,
    deprecatedSource: source,
    ...present({
      note: message,
      reportingController: reportingComponent || undefined,
      reportingInstance: reportingInstance || undefined,
      deprecatedFirstTimestamp: firstTimestamp,
      deprecatedLastTimestamp: lastTimestamp,
      deprecatedCount: count,
    }),
    ...(series && {
      series: { count: series.count ?? 0, ...present({ lastObservedTime: series.lastObservedTime }) },
    }),
  };
}
