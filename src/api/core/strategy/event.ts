import type { Strategy } from "../../../meta/strategy.ts";
import { eventColumns } from "../printers/event.ts";
import { endpointsColumns } from "../printers/service.ts";
import type { Endpoints } from "../v1/endpoints.ts";
import type { Event } from "../v1/event.ts";
import { validateEndpoints } from "../validation/endpoints.ts";
import { validateEvent } from "../validation/event.ts";
import { endpointsWarnings } from "../warnings/plain.ts";

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

export const endpointsStrategy: Strategy<Endpoints> = {
  validate: validateEndpoints,
  deprecation: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
  warnings: endpointsWarnings,
  allowCreateOnUpdate: true,
  columns: endpointsColumns,
};
