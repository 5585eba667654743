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
import { ObjectReference } from "./reference.ts";

const message = messages("io.k8s.api.core.v1");

export const EventSource = message("EventSource", "A event source.", {
  component: optional(1, string, "The component."),
  host: optional(2, string, "The host."),
});
export type EventSource = Out<typeof EventSource>;

export const EventSeries = message("EventSeries", "A event series.", {
  count: optional(1, int32, "The count."),
  lastObservedTime: optional(2, microTime, "The last observed time."),
});
export type EventSeries = Out<typeof EventSeries>;

export const Event = message("Event", "A event.", {
  metadata: required(1, ObjectMeta, "The metadata."),
  involvedObject: required(2, ObjectReference, "The involved object."),
  reason: optional(3, string, "The reason."),
  message: optional(4, string, "The message."),
  source: optional(5, EventSource, "The source."),
  firstTimestamp: optional(6, time, "The first timestamp."),
  lastTimestamp: optional(7, time, "The last timestamp."),
  count: optional(8, int32, "The count."),
  type: optional(9, string, "The type."),
  eventTime: optional(10, microTime, "The event time."),
  series: pointer(11, EventSeries, "The series."),
  action: optional(12, string, "The action."),
  related: pointer(13, ObjectReference, "The related."),
  reportingComponent: required(14, string, "The reporting component."),
  reportingInstance: required(15, string, "The reporting instance."),
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
