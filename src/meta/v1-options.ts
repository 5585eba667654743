import { boolean, int64, list, messages, optional, type Out, pointer, string } from "./schema.ts";

const message = messages("io.k8s.apimachinery.pkg.apis.meta.v1");

export const Preconditions = message("Preconditions", "What must hold for the object that a request meets.", {
  uid: pointer(1, string, "The UID that the object must have."),
  resourceVersion: pointer(2, string, "The resource version that the object must have."),
});
export type Preconditions = Out<typeof Preconditions>;

export const DeleteOptions = message("DeleteOptions", "How an object is to be deleted.", {
  kind: optional(0, string, "The kind of this value: DeleteOptions."),
  apiVersion: optional(0, string, "The API version of this value."),
  gracePeriodSeconds: pointer(
    1,
    int64,
    "How many seconds the object has to end by itself; 0 deletes at once.",
  ),
  preconditions: pointer(2, Preconditions, "What must hold, or the deletion is refused."),
  orphanDependents: pointer(3, boolean, "The predecessor of propagationPolicy."),
  propagationPolicy: pointer(4, string, "What happens to dependents: Orphan, Background or Foreground."),
  dryRun: optional(5, list(string), "`All` checks everything and stores nothing."),
  ignoreStoreReadErrorWithClusterBreakingPotential: pointer(
    6,
    boolean,
    "Deletes also an object that can no longer be decoded.",
  ),
});
export type DeleteOptions = Out<typeof DeleteOptions>;
