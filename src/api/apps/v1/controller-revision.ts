import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import { int64, messages, optional, rawExtension, required } from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.apps.v1");

export const ControllerRevision = message("ControllerRevision", "A controller revision.", {
  metadata: optional(1, ObjectMeta, "The metadata."),
  data: optional(2, rawExtension, "The data."),
  revision: required(3, int64, "The revision."),
});

export const controllerRevisions = defineKind(ControllerRevision, {
  group: "apps",
  version: "v1",
  kind: "ControllerRevision",
  plural: "controllerrevisions",
  namespaced: true,
});
export type ControllerRevision = ObjectOf<typeof controllerRevisions>;
