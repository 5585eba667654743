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

export const EventSeries = message("EventSeries", "An event that goes on.", {
  count: required(1, int32, "How often it was seen."),
  lastObservedTime: required(2, microTime, "When it was last seen."),
});
export type EventSeries = Out<typeof EventSeries>;

export const Event = message("Event", "Something that happened to an object; kept for a while.", {
  metadata: required(1, ObjectMeta, "Standard object metadata."),
  eventTime: required(2, microTime, "When it was first seen."),
  series: pointer(3, EventSeries, "How it goes on."),
  reportingController: optional(4, string, "The controller that saw it."),
  reportingInstance: optional(5, string, "Which instance of that controller."),
  action: optional(6, string, "What was done, or failed."),
  reason: optional(7, string, "What happened, as one CamelCase word."),
  regarding: optional(8, ObjectReference, "The object."),
  related: pointer(9, ObjectReference, "A second object, where one took part."),
  note: optional(10, string, "What happened, for people."),
  type: optional(11, string, "Normal or Warning."),
  deprecatedSource: optional(12, EventSource, "`source` of the core version."),
  deprecatedFirstTimestamp: optional(13, time, "`firstTimestamp` of the core version."),
  deprecatedLastTimestamp: optional(14, time, "`lastTimestamp` of the core version."),
  deprecatedCount: optional(15, int32, "`count` of the core version."),
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
