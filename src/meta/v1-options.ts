import { boolean, int64, list, messages, optional, type Out, pointer, string } from "./schema.ts";

const message = messages("io.k8s.apimachinery.pkg.apis.meta.v1");

export const Preconditions = message("Preconditions", "Preconditions of an operation on an object.", {
  uid: pointer(1, string, "The UID that the object must have."),
  resourceVersion: pointer(2, string, "The resource version that the object must have."),
});
export type Preconditions = Out<typeof Preconditions>;

export const DeleteOptions = message("DeleteOptions", "Options of a deletion.", {
  kind: optional(0, string, "The kind of this value: DeleteOptions."),
  apiVersion: optional(0, string, "The API version of this value."),
  gracePeriodSeconds: pointer(1, int64, "The grace period in seconds; 0 deletes immediately."),
  preconditions: pointer(2, Preconditions, "Preconditions; a mismatch refuses the deletion."),
  orphanDependents: pointer(3, boolean, "Deprecated; use `propagationPolicy`."),
  propagationPolicy: pointer(4, string, "The treatment of dependents: Orphan, Background or Foreground."),
  dryRun: optional(5, list(string), "`All` runs all stages of the request, but stores nothing."),
  ignoreStoreReadErrorWithClusterBreakingPotential: pointer(
    6,
    boolean,
    "Also deletes an object that cannot be decoded any more.",
  ),
});
export type DeleteOptions = Out<typeof DeleteOptions>;
