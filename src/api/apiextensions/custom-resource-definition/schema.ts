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

export const ServiceReference = message("ServiceReference", "Names a Service and a place on it.", {
  namespace: required(1, string, "The Service's namespace."),
  name: required(2, string, "The Service's name."),
  path: pointer(3, string, "The path of requests."),
  port: pointer(4, int32, "The Service's port.", { default: 443 }),
});

export const WebhookClientConfig = message("WebhookClientConfig", "How a webhook is reached.", {
  url: pointer(3, string, "Its URL; or else `service`."),
  service: pointer(1, ServiceReference, "Its Service; or else `url`."),
  caBundle: optional(2, bytes, "The authorities that its certificate is checked against, as PEM."),
});
export type WebhookClientConfig = Out<typeof WebhookClientConfig>;

export const WebhookConversion = message("WebhookConversion", "A webhook that converts between versions.", {
  clientConfig: pointer(2, WebhookClientConfig, "How it is reached."),
  conversionReviewVersions: required(
    3,
    list(string),
    "Versions of ConversionReview that it knows, best first.",
  ),
});

export const CustomResourceConversion = message(
  "CustomResourceConversion",
  "How objects are converted between versions.",
  {
    strategy: required(1, stringOf<"None" | "Webhook">(), "None changes the apiVersion only."),
    webhook: pointer(2, WebhookConversion, "The webhook, for that strategy."),
  },
);
export type CustomResourceConversion = Out<typeof CustomResourceConversion>;

export const CustomResourceDefinitionNames = message(
  "CustomResourceDefinitionNames",
  "What a custom resource is called.",
  {
    plural: required(1, string, "The name in URLs."),
    singular: optional(2, string, "The name of one; the kind in lower case when absent."),
    shortNames: optional(3, list(string), "Short names for the command line."),
    kind: required(4, string, "The kind, in CamelCase."),
    listKind: optional(5, string, "The kind of lists; the kind with `List` when absent."),
    categories: optional(6, list(string), "Groups of resources that it belongs to, such as `all`."),
  },
);
export type CustomResourceDefinitionNames = Out<typeof CustomResourceDefinitionNames>;

export const CustomResourceValidation = message("CustomResourceValidation", "What objects look like.", {
  openAPIV3Schema: pointer(1, JSONSchemaProps, "The schema."),
});
export type CustomResourceValidation = Out<typeof CustomResourceValidation>;

export const CustomResourceSubresourceStatus = message(
  "CustomResourceSubresourceStatus",
  "Makes `status` a subresource.",
  {},
);

export const CustomResourceSubresourceScale = message(
  "CustomResourceSubresourceScale",
  "Makes `scale` a subresource: where its numbers are.",
  {
    specReplicasPath: required(1, string, "The path of the wanted number, below `.spec`."),
    statusReplicasPath: required(2, string, "The path of the present number, below `.status`."),
    labelSelectorPath: pointer(3, string, "The path of a selector as text, below `.spec` or `.status`."),
  },
);

export const CustomResourceSubresources = message(
  "CustomResourceSubresources",
  "Which subresources there are.",
  {
    status: pointer(1, CustomResourceSubresourceStatus, "Makes `status` a subresource."),
    scale: pointer(2, CustomResourceSubresourceScale, "Makes `scale` a subresource."),
  },
);
export type CustomResourceSubresources = Out<typeof CustomResourceSubresources>;

export const CustomResourceColumnDefinition = message(
  "CustomResourceColumnDefinition",
  "A column of `kubectl get`.",
  {
    name: required(1, string, "The column's head."),
    type: required(2, string, "The OpenAPI type of cells."),
    format: optional(3, string, "The OpenAPI format of cells."),
    description: optional(4, string, "What the column says."),
    priority: optional(5, int32, "0 shows always, more only with `-o wide`."),
    jsonPath: required(6, string, "Where in an object the cell comes from."),
  },
);
export type CustomResourceColumnDefinition = Out<typeof CustomResourceColumnDefinition>;

export const SelectableField = message("SelectableField", "A field that field selectors know.", {
  jsonPath: required(1, string, "Where it is; lists have no place in the path."),
});
export type SelectableField = Out<typeof SelectableField>;

export const CustomResourceDefinitionVersion = message(
  "CustomResourceDefinitionVersion",
  "One version of a custom resource.",
  {
    name: required(1, string, "The version, such as v1."),
    served: required(2, boolean, "Whether clients can use it."),
    storage: required(3, boolean, "Whether objects are stored in it; true for exactly one version."),
    deprecated: optional(7, boolean, "Whether clients are warned off it."),
    deprecationWarning: pointer(8, string, "The text of that warning."),
    schema: pointer(4, CustomResourceValidation, "What objects look like."),
    subresources: pointer(5, CustomResourceSubresources, "Which subresources there are."),
    additionalPrinterColumns: optional(
      6,
      list(CustomResourceColumnDefinition),
      "The columns of `kubectl get`.",
    ),
    selectableFields: optional(9, list(SelectableField), "Fields that field selectors know, at most 8."),
  },
);
export type CustomResourceDefinitionVersion = Out<typeof CustomResourceDefinitionVersion>;

export const CustomResourceDefinitionSpec = message(
  "CustomResourceDefinitionSpec",
  "What a custom resource shall be.",
  {
    group: required(1, string, "The API group; it cannot be changed."),
    names: required(3, CustomResourceDefinitionNames, "What the resource is called."),
    scope: required(4, stringOf<"Cluster" | "Namespaced">(), "Whether objects live in namespaces."),
    versions: required(7, list(CustomResourceDefinitionVersion), "The versions."),
    conversion: pointer(9, CustomResourceConversion, "How objects are converted between versions.", {
      default: () => ({ strategy: "None" }),
    }),
    preserveUnknownFields: optional(10, boolean, "Of the API's first version; only false is allowed."),
  },
);
export type CustomResourceDefinitionSpec = Out<typeof CustomResourceDefinitionSpec>;

export const CustomResourceDefinitionCondition = message(
  "CustomResourceDefinitionCondition",
  "One aspect of a definition's state.",
  {
    type: required(1, string, "The aspect, such as Established or NamesAccepted."),
    status: required(2, string, "Whether it holds: True, False or Unknown."),
    lastTransitionTime: optional(3, time, "When the status last changed."),
    reason: optional(4, string, "Why, as one CamelCase word for programs."),
    message: optional(5, string, "Why, for people."),
    observedGeneration: optional(6, int64, "The generation that the condition was judged by."),
  },
);

export const CustomResourceDefinitionStatus = message(
  "CustomResourceDefinitionStatus",
  "What is known about a custom resource.",
  {
    conditions: required(
      1,
      keyed(CustomResourceDefinitionCondition, "type"),
      "Aspects of the state, one entry for each type.",
    ),
    acceptedNames: required(2, CustomResourceDefinitionNames, "The names that are in use."),
    storedVersions: required(3, list(string), "Versions that objects may have been stored in."),
    observedGeneration: optional(4, int64, "The generation that this status was made from."),
  },
);

export const CustomResourceDefinition = message(
  "CustomResourceDefinition",
  "Adds a resource to the API: `<plural>.<group>`.",
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
