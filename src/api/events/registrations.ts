import { objectOf } from "../../meta/decode.ts";
import { type Registration, serve } from "../../meta/strategy.ts";
import { eventColumns } from "../core/event/printer.ts";
import { events as coreEvents } from "../core/event/schema.ts";
import { fromCore, toCore } from "./event/conversion.ts";
import { events } from "./event/schema.ts";
import {
  validateSeriesEvent,
  validateSeriesEventCreate,
  validateSeriesEventUpdate,
} from "./event/validation.ts";

/** The group `events.k8s.io`: the events of the core group with other field names. */
export const eventsRegistrations: readonly Registration[] = [
  serve(
    events,
    {
      validate: validateSeriesEvent,
      validateCreate: validateSeriesEventCreate,
      validateUpdate: validateSeriesEventUpdate,
      allowCreateOnUpdate: true,
      columns: eventColumns.map((column) => ({
        ...column,
        cell: (event, now) => column.cell(toCore(event), now),
      })),
      selectableFields: {
        "regarding.kind": ({ regarding }) => regarding.kind ?? "",
        "regarding.namespace": ({ regarding }) => regarding.namespace ?? "",
        "regarding.name": ({ regarding }) => regarding.name ?? "",
        "regarding.uid": ({ regarding }) => regarding.uid ?? "",
        "regarding.apiVersion": ({ regarding }) => regarding.apiVersion ?? "",
        "regarding.resourceVersion": ({ regarding }) => regarding.resourceVersion ?? "",
        "regarding.fieldPath": ({ regarding }) => regarding.fieldPath ?? "",
        reason: ({ reason }) => reason ?? "",
        reportingController: ({ reportingController }) => reportingController ?? "",
        type: ({ type }) => type ?? "",
      },
    },
    {
      kind: coreEvents,
      stored: (event) => objectOf(coreEvents, toCore(event)),
      shown: (event) => objectOf(events, fromCore(event)),
    },
  ),
];
