import type { Strategy } from "../../../meta/strategy.ts";
import { eventColumns } from "./printer.ts";
import type { Event } from "./schema.ts";
import { validateEvent } from "./validation.ts";

export const eventStrategy: Strategy<Event> = {
  validate: (event) => validateEvent(event),
  allowCreateOnUpdate: true,
  columns: eventColumns,
  selectableFields: {
    "involvedObject.kind": ({ involvedObject }) => involvedObject.kind ?? "",
    "involvedObject.namespace": ({ involvedObject }) => involvedObject.namespace ?? "",
    "involvedObject.name": ({ involvedObject }) => involvedObject.name ?? "",
    "involvedObject.uid": ({ involvedObject }) => involvedObject.uid ?? "",
    "involvedObject.apiVersion": ({ involvedObject }) => involvedObject.apiVersion ?? "",
    "involvedObject.resourceVersion": ({ involvedObject }) => involvedObject.resourceVersion ?? "",
    "involvedObject.fieldPath": ({ involvedObject }) => involvedObject.fieldPath ?? "",
    reason: ({ reason }) => reason ?? "",
    reportingComponent: ({ reportingComponent }) => reportingComponent,
    source: ({ source, reportingComponent }) => source.component ?? reportingComponent,
    type: ({ type }) => type ?? "",
  },
};
