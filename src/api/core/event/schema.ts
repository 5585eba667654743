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

export const EventSource = message("EventSource", "Who saw an event.", {
  component: optional(1, string, "The component."),
  host: optional(2, string, "The node."),
});
export type EventSource = Out<typeof EventSource>;

export const EventSeries = message("EventSeries", "An event that goes on.", {
  count: optional(1, int32, "How often it was seen."),
  lastObservedTime: optional(2, microTime, "When it was last seen."),
});
export type EventSeries = Out<typeof EventSeries>;

export const Event = message("Event", "Something that happened to an object; kept for a while.", {
  metadata: required(1, ObjectMeta, "Standard object metadata."),
  involvedObject: required(2, ObjectReference, "The object."),
  reason: optional(3, string, "What happened, as one CamelCase word."),
  message: optional(4, string, "What happened, for people."),
  source: optional(5, EventSource, "Who saw it."),
  firstTimestamp: optional(6, time, "When it was first seen."),
  lastTimestamp: optional(7, time, "When it was last seen."),
  count: optional(8, int32, "How often it was seen."),
  type: optional(9, string, "Normal or Warning."),
  eventTime: optional(10, microTime, "When it was first seen, to the microsecond."),
  series: pointer(11, EventSeries, "How it goes on."),
  action: optional(12, string, "What was done, or failed."),
  related: pointer(13, ObjectReference, "A second object, where one took part."),
  reportingComponent: required(14, string, "The controller that saw it."),
  reportingInstance: required(15, string, "Which instance of that controller."),
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
