import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import { int64, messages, optional, pointer, rawExtension, required } from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.apps.v1");

export const ControllerRevision = message(
  "ControllerRevision",
  "An immutable snapshot of a controller's state, for rollbacks.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    data: pointer(2, rawExtension, "The snapshot."),
    revision: required(3, int64, "The revision's number; later revisions have higher numbers."),
  },
);

export const controllerRevisions = defineKind(ControllerRevision, {
  group: "apps",
  version: "v1",
  kind: "ControllerRevision",
  plural: "controllerrevisions",
  namespaced: true,
});
export type ControllerRevision = ObjectOf<typeof controllerRevisions>;
