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

export const ServiceReference = message("ServiceReference", "A reference to a Service.", {
  namespace: optional(1, string, "The Service's namespace."),
  name: optional(2, string, "The Service's name."),
  port: pointer(3, int32, "The Service's port.", { default: 443 }),
});

export const APIServiceSpec = message(
  "APIServiceSpec",
  "The group and version that an APIService serves, and its backend.",
  {
    service: pointer(
      1,
      ServiceReference,
      "The Service of the backend; absent for groups that this server serves.",
    ),
    group: optional(2, string, "The API group."),
    version: optional(3, string, "The API version."),
    insecureSkipTLSVerify: optional(4, boolean, "Whether the server's certificate is not verified."),
    caBundle: optional(5, bytes, "The certificate authorities that verify the server's certificate, as PEM."),
    groupPriorityMinimum: required(
      7,
      int32,
      "The minimum priority of the group; higher priorities are listed first.",
    ),
    versionPriority: required(
      8,
      int32,
      "The priority of the version in its group; higher priorities are listed first.",
    ),
  },
);

export const APIServiceCondition = message("APIServiceCondition", "A condition of an APIService.", {
  type: required(1, string, "The condition's type: Available."),
  status: required(2, string, "The condition's status: True, False or Unknown."),
  lastTransitionTime: optional(3, time, "The time when the condition's status last changed."),
  reason: optional(4, string, "A machine-readable reason, as one CamelCase word."),
  message: optional(5, string, "A human-readable explanation."),
});

export const APIServiceStatus = message("APIServiceStatus", "The observed state of a part of the API.", {
  conditions: optional(1, keyed(APIServiceCondition, "type"), "The conditions, one for each type.", {
    merge: "type",
  }),
});

export const APIService = message("APIService", "A group and version of the API: `<version>.<group>`.", {
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
