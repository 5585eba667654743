import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import {
  type Out,
  int32,
  messages,
  microTime,
  optional,
  pointer,
  required,
  string,
  time,
} from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";
import { EventSource } from "../../core/event/schema.ts";
import { ObjectReference } from "../../core/v1/reference.ts";

const message = messages("io.k8s.api.events.v1");

export const EventSeries = message("EventSeries", "The repetition of an event.", {
  count: required(1, int32, "The number of occurrences."),
  lastObservedTime: required(2, microTime, "The time of the last occurrence."),
});
export type EventSeries = Out<typeof EventSeries>;

export const Event = message("Event", "A report of an event in the cluster; kept for a limited time.", {
  metadata: required(1, ObjectMeta, "Standard object metadata."),
  eventTime: required(2, microTime, "The time of the first occurrence."),
  series: pointer(3, EventSeries, "The repetition of the event; absent for a single event."),
  reportingController: optional(4, string, "The controller that reported the event."),
  reportingInstance: optional(5, string, "The instance of the reporting controller."),
  action: optional(6, string, "The action that was taken or failed."),
  reason: optional(7, string, "A machine-readable reason, as one CamelCase word."),
  regarding: optional(8, ObjectReference, "The object."),
  related: pointer(9, ObjectReference, "A secondary object."),
  note: optional(10, string, "A human-readable description."),
  type: optional(11, string, "Normal or Warning."),
  deprecatedSource: optional(12, EventSource, "Deprecated; `source` of the core version."),
  deprecatedFirstTimestamp: optional(13, time, "Deprecated; `firstTimestamp` of the core version."),
  deprecatedLastTimestamp: optional(14, time, "Deprecated; `lastTimestamp` of the core version."),
  deprecatedCount: optional(15, int32, "Deprecated; `count` of the core version."),
});

export const events = defineKind(Event, {
  group: "events.k8s.io",
  version: "v1",
  kind: "Event",
  plural: "events",
  namespaced: true,
  shortNames: ["ev"],
});
export type Event = ObjectOf<typeof events>;
