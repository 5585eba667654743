import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import { type Out, messages, optional, pointer, required, string } from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.networking.v1");

export const IngressClassParametersReference = message(
  "IngressClassParametersReference",
  "A reference to an object with further parameters.",
  {
    apiGroup: pointer(1, string, "The group of the kind; absent for the core group."),
    kind: required(2, string, "The object's kind."),
    name: required(3, string, "The object's name."),
    scope: pointer(4, string, "Whether the object is cluster-scoped or namespaced.", { default: "Cluster" }),
    namespace: pointer(5, string, "The object's namespace; only for a namespaced object."),
  },
);
export type IngressClassParametersReference = Out<typeof IngressClassParametersReference>;

export const IngressClassSpec = message(
  "IngressClassSpec",
  "The controller and the parameters of a class of Ingresses.",
  {
    controller: optional(1, string, "The responsible controller, such as `acme.io/ingress`; immutable."),
    parameters: pointer(2, IngressClassParametersReference, "Further parameters, for the controller."),
  },
);
export type IngressClassSpec = Out<typeof IngressClassSpec>;

export const IngressClass = message("IngressClass", "A class of Ingresses, handled by one controller.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  spec: optional(2, IngressClassSpec, "The desired state."),
});

export const ingressClasses = defineKind(IngressClass, {
  group: "networking.k8s.io",
  version: "v1",
  kind: "IngressClass",
  plural: "ingressclasses",
  namespaced: false,
});
export type IngressClass = ObjectOf<typeof ingressClasses>;
