import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import {
  type Out,
  boolean,
  bytes,
  int32,
  int64,
  keyed,
  list,
  messages,
  optional,
  pointer,
  required,
  string,
  stringOf,
  time,
} from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";
import { JSONSchemaProps } from "./json-schema-props.ts";

const message = messages("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1");

export const ServiceReference = message("ServiceReference", "A reference to a Service, with path and port.", {
  namespace: required(1, string, "The Service's namespace."),
  name: required(2, string, "The Service's name."),
  path: pointer(3, string, "The path of requests."),
  port: pointer(4, int32, "The Service's port.", { default: 443 }),
});

export const WebhookClientConfig = message("WebhookClientConfig", "The address of a webhook.", {
  url: pointer(3, string, "The webhook's URL; excludes `service`."),
  service: pointer(1, ServiceReference, "The webhook's Service; excludes `url`."),
  caBundle: optional(2, bytes, "The certificate authorities that verify the server's certificate, as PEM."),
});
export type WebhookClientConfig = Out<typeof WebhookClientConfig>;

export const WebhookConversion = message("WebhookConversion", "A webhook that converts between versions.", {
  clientConfig: pointer(2, WebhookClientConfig, "The webhook's address."),
  conversionReviewVersions: required(
    3,
    list(string),
    "The supported versions of ConversionReview, in order of preference.",
  ),
});

export const CustomResourceConversion = message(
  "CustomResourceConversion",
  "The conversion of objects between versions.",
  {
    strategy: required(
      1,
      stringOf<"None" | "Webhook">(),
      "None, which only changes the apiVersion, or Webhook.",
    ),
    webhook: pointer(2, WebhookConversion, "The webhook; only for strategy Webhook."),
  },
);
export type CustomResourceConversion = Out<typeof CustomResourceConversion>;

export const CustomResourceDefinitionNames = message(
  "CustomResourceDefinitionNames",
  "The names of a custom resource.",
  {
    plural: required(1, string, "The name in URLs."),
    singular: optional(2, string, "The singular name; the lower-case kind when absent."),
    shortNames: optional(3, list(string), "Short names for the command line."),
    kind: required(4, string, "The kind, in CamelCase."),
    listKind: optional(5, string, "The kind of lists; the kind with `List` when absent."),
    categories: optional(6, list(string), "The categories of the resource, such as `all`."),
  },
);
export type CustomResourceDefinitionNames = Out<typeof CustomResourceDefinitionNames>;

export const CustomResourceValidation = message("CustomResourceValidation", "The schema of the objects.", {
  openAPIV3Schema: pointer(1, JSONSchemaProps, "The schema."),
});
export type CustomResourceValidation = Out<typeof CustomResourceValidation>;

export const CustomResourceSubresourceStatus = message(
  "CustomResourceSubresourceStatus",
  "Enables the `status` subresource.",
  {},
);

export const CustomResourceSubresourceScale = message(
  "CustomResourceSubresourceScale",
  "Enables the `scale` subresource.",
  {
    specReplicasPath: required(1, string, "The JSON path of the desired number of replicas, below `.spec`."),
    statusReplicasPath: required(
      2,
      string,
      "The JSON path of the current number of replicas, below `.status`.",
    ),
    labelSelectorPath: pointer(
      3,
      string,
      "The JSON path of the label selector as a string, below `.spec` or `.status`.",
    ),
  },
);

export const CustomResourceSubresources = message("CustomResourceSubresources", "The subresources.", {
  status: pointer(1, CustomResourceSubresourceStatus, "Enables the `status` subresource."),
  scale: pointer(2, CustomResourceSubresourceScale, "Enables the `scale` subresource."),
});
export type CustomResourceSubresources = Out<typeof CustomResourceSubresources>;

export const CustomResourceColumnDefinition = message(
  "CustomResourceColumnDefinition",
  "A column of `kubectl get`.",
  {
    name: required(1, string, "The column's header."),
    type: required(2, string, "The OpenAPI type of cells."),
    format: optional(3, string, "The OpenAPI format of cells."),
    description: optional(4, string, "The column's description."),
    priority: optional(5, int32, "The priority: 0 is always shown, higher numbers only with `-o wide`."),
    jsonPath: required(6, string, "The JSON path of the cell's value."),
  },
);
export type CustomResourceColumnDefinition = Out<typeof CustomResourceColumnDefinition>;

export const SelectableField = message("SelectableField", "A field that field selectors can use.", {
  jsonPath: required(1, string, "The field's JSON path, which cannot pass through a list."),
});
export type SelectableField = Out<typeof SelectableField>;

export const CustomResourceDefinitionVersion = message(
  "CustomResourceDefinitionVersion",
  "One version of a custom resource.",
  {
    name: required(1, string, "The version, such as v1."),
    served: required(2, boolean, "Whether the version is served."),
    storage: required(
      3,
      boolean,
      "Whether the version is the storage version; true for exactly one version.",
    ),
    deprecated: optional(7, boolean, "Whether requests for the version get a deprecation warning."),
    deprecationWarning: pointer(8, string, "The text of the deprecation warning."),
    schema: pointer(4, CustomResourceValidation, "The schema of the objects."),
    subresources: pointer(5, CustomResourceSubresources, "The subresources."),
    additionalPrinterColumns: optional(
      6,
      list(CustomResourceColumnDefinition),
      "The columns of `kubectl get`.",
    ),
    selectableFields: optional(9, list(SelectableField), "Fields that field selectors can use, at most 8."),
  },
);
export type CustomResourceDefinitionVersion = Out<typeof CustomResourceDefinitionVersion>;

export const CustomResourceDefinitionSpec = message(
  "CustomResourceDefinitionSpec",
  "The desired state of a custom resource.",
  {
    group: required(1, string, "The API group; immutable."),
    names: required(3, CustomResourceDefinitionNames, "The names of the resource."),
    scope: required(4, stringOf<"Cluster" | "Namespaced">(), "Whether the resources are namespaced."),
    versions: required(7, list(CustomResourceDefinitionVersion), "The versions."),
    conversion: pointer(9, CustomResourceConversion, "The conversion of objects between versions.", {
      default: () => ({ strategy: "None" }),
    }),
    preserveUnknownFields: optional(10, boolean, "Deprecated; only false is allowed."),
  },
);
export type CustomResourceDefinitionSpec = Out<typeof CustomResourceDefinitionSpec>;

export const CustomResourceDefinitionCondition = message(
  "CustomResourceDefinitionCondition",
  "A condition of a definition.",
  {
    type: required(1, string, "The condition's type, such as Established or NamesAccepted."),
    status: required(2, string, "The condition's status: True, False or Unknown."),
    lastTransitionTime: optional(3, time, "The time when the condition's status last changed."),
    reason: optional(4, string, "A machine-readable reason, as one CamelCase word."),
    message: optional(5, string, "A human-readable explanation."),
    observedGeneration: optional(6, int64, "The generation that the condition reflects."),
  },
);

export const CustomResourceDefinitionStatus = message(
  "CustomResourceDefinitionStatus",
  "The observed state of a custom resource.",
  {
    conditions: required(
      1,
      keyed(CustomResourceDefinitionCondition, "type"),
      "The conditions, one for each type.",
    ),
    acceptedNames: required(2, CustomResourceDefinitionNames, "The accepted names."),
    storedVersions: required(3, list(string), "Versions in which objects were ever stored."),
    observedGeneration: optional(4, int64, "The generation that this status reflects."),
  },
);

export const CustomResourceDefinition = message(
  "CustomResourceDefinition",
  "Defines a custom resource `<plural>.<group>`.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    spec: required(2, CustomResourceDefinitionSpec, "The desired state."),
    status: optional(3, CustomResourceDefinitionStatus, "The observed state."),
  },
);

export const customResourceDefinitions = defineKind(CustomResourceDefinition, {
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  namespaced: false,
  shortNames: ["crd", "crds"],
  categories: ["api-extensions"],
  status: true,
});
export type CustomResourceDefinition = ObjectOf<typeof customResourceDefinitions>;
