import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import {
  boolean,
  bytes,
  int32,
  keyed,
  messages,
  optional,
  pointer,
  required,
  string,
  time,
} from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";

const message = messages("io.k8s.kube-aggregator.pkg.apis.apiregistration.v1");

export const ServiceReference = message("ServiceReference", "Names a Service.", {
  namespace: optional(1, string, "The Service's namespace."),
  name: optional(2, string, "The Service's name."),
  port: pointer(3, int32, "The Service's port.", { default: 443 }),
});

export const APIServiceSpec = message("APIServiceSpec", "Which part of the API is served from where.", {
  service: pointer(1, ServiceReference, "The Service behind it; absent for what this server serves itself."),
  group: optional(2, string, "The API group."),
  version: optional(3, string, "The API version."),
  insecureSkipTLSVerify: optional(4, boolean, "Whether any certificate will do."),
  caBundle: optional(5, bytes, "The authorities that its certificate is checked against, as PEM."),
  groupPriorityMinimum: required(7, int32, "The group's rank among groups, at least; higher comes first."),
  versionPriority: required(8, int32, "The version's rank in its group; higher comes first."),
});

export const APIServiceCondition = message("APIServiceCondition", "One aspect of an APIService's state.", {
  type: required(1, string, "The aspect: Available."),
  status: required(2, string, "Whether it holds: True, False or Unknown."),
  lastTransitionTime: optional(3, time, "When the status last changed."),
  reason: optional(4, string, "Why, as one CamelCase word for programs."),
  message: optional(5, string, "Why, for people."),
});

export const APIServiceStatus = message("APIServiceStatus", "What is known about a part of the API.", {
  conditions: optional(
    1,
    keyed(APIServiceCondition, "type"),
    "Aspects of the state, one entry for each type.",
    { merge: "type" },
  ),
});

export const APIService = message("APIService", "A part of the API: `<version>.<group>`.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  spec: optional(2, APIServiceSpec, "The desired state."),
  status: optional(3, APIServiceStatus, "The observed state."),
});

export const apiServices = defineKind(APIService, {
  group: "apiregistration.k8s.io",
  version: "v1",
  kind: "APIService",
  plural: "apiservices",
  namespaced: false,
  categories: ["api-extensions"],
  status: true,
});
export type APIService = ObjectOf<typeof apiServices>;
