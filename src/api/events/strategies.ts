import { type Registration, serve } from "../../meta/strategy.ts";
import { eventColumns } from "../core/printers/event.ts";
import { toCore } from "./conversion.ts";
import { events } from "./v1.ts";
import { validateSeriesEvent, validateSeriesEventCreate, validateSeriesEventUpdate } from "./validation.ts";

/** The group `events.k8s.io`: the core group's events under other names. */
export const eventsRegistrations: readonly Registration[] = [
  serve(events, {
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
  }),
];
