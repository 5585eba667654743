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
import { ObjectReference } from "../v1/reference.ts";

const message = messages("io.k8s.api.core.v1");

export const EventSource = message("EventSource", "The reporter of an event.", {
  component: optional(1, string, "The component."),
  host: optional(2, string, "The node."),
});
export type EventSource = Out<typeof EventSource>;

export const EventSeries = message("EventSeries", "The repetition of an event.", {
  count: optional(1, int32, "The number of occurrences."),
  lastObservedTime: optional(2, microTime, "The time of the last occurrence."),
});
export type EventSeries = Out<typeof EventSeries>;

export const Event = message("Event", "A report of an event in the cluster; kept for a limited time.", {
  metadata: required(1, ObjectMeta, "Standard object metadata."),
  involvedObject: required(2, ObjectReference, "The object."),
  reason: optional(3, string, "A machine-readable reason, as one CamelCase word."),
  message: optional(4, string, "A human-readable description."),
  source: optional(5, EventSource, "The reporter of the event."),
  firstTimestamp: optional(6, time, "The time of the first occurrence."),
  lastTimestamp: optional(7, time, "The time of the last occurrence."),
  count: optional(8, int32, "The number of occurrences."),
  type: optional(9, string, "Normal or Warning."),
  eventTime: optional(10, microTime, "The time of the first occurrence, to the microsecond."),
  series: pointer(11, EventSeries, "The repetition of the event; absent for a single event."),
  action: optional(12, string, "The action that was taken or failed."),
  related: pointer(13, ObjectReference, "A secondary object."),
  reportingComponent: required(14, string, "The controller that reported the event."),
  reportingInstance: required(15, string, "The instance of the reporting controller."),
});

export const events = defineKind(Event, {
  group: "",
  version: "v1",
  kind: "Event",
  plural: "events",
  namespaced: true,
  shortNames: ["ev"],
});
export type Event = ObjectOf<typeof events>;
