import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import { type Out, amount, list, map, messages, optional, required, string } from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.core.v1");

export const LimitRangeItem = message("LimitRangeItem", "Bounds for one kind of thing.", {
  type: required(1, string, "For what: Pod, Container or PersistentVolumeClaim."),
  max: optional(2, map(amount), "The most allowed."),
  min: optional(3, map(amount), "The least allowed."),
  default: optional(4, map(amount), "Limits for containers that set none."),
  defaultRequest: optional(5, map(amount), "Requests for containers that set none."),
  maxLimitRequestRatio: optional(6, map(amount), "By how much a limit may exceed its request."),
});
export type LimitRangeItem = Out<typeof LimitRangeItem>;

export const LimitRangeSpec = message("LimitRangeSpec", "Bounds on what is used in a namespace.", {
  limits: required(1, list(LimitRangeItem), "The bounds."),
});
export type LimitRangeSpec = Out<typeof LimitRangeSpec>;

export const LimitRange = message(
  "LimitRange",
  "Bounds on what each Pod, container or claim in a namespace may use.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    spec: optional(2, LimitRangeSpec, "The desired state."),
  },
);

export const limitRanges = defineKind(LimitRange, {
  group: "",
  version: "v1",
  kind: "LimitRange",
  plural: "limitranges",
  namespaced: true,
  shortNames: ["limits"],
});
export type LimitRange = ObjectOf<typeof limitRanges>;
