import { defineKind, type ObjectOf } from "../../meta/kind.ts";
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
} from "../../meta/schema.ts";
import { ObjectMeta } from "../../meta/v1.ts";
import { EventSource } from "../core/v1/event.ts";
import { ObjectReference } from "../core/v1/reference.ts";

const message = messages("io.k8s.api.events.v1");

export const EventSeries = message("EventSeries", "A event series.", {
  count: required(1, int32, "The count."),
  lastObservedTime: required(2, microTime, "The last observed time."),
});
export type EventSeries = Out<typeof EventSeries>;

export const Event = message("Event", "A event.", {
  metadata: required(1, ObjectMeta, "The metadata."),
  eventTime: required(2, microTime, "The event time."),
  series: pointer(3, EventSeries, "The series."),
  reportingController: optional(4, string, "The reporting controller."),
  reportingInstance: optional(5, string, "The reporting instance."),
  action: optional(6, string, "The action."),
  reason: optional(7, string, "The reason."),
  regarding: optional(8, ObjectReference, "The regarding."),
  related: pointer(9, ObjectReference, "The related."),
  note: optional(10, string, "The note."),
  type: optional(11, string, "The type."),
  deprecatedSource: optional(12, EventSource, "The deprecated source."),
  deprecatedFirstTimestamp: optional(13, time, "The deprecated first timestamp."),
  deprecatedLastTimestamp: optional(14, time, "The deprecated last timestamp."),
  deprecatedCount: optional(15, int32, "The deprecated count."),
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
