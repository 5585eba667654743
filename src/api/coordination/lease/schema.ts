import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import { int32, messages, microTime, optional, pointer, string } from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.coordination.v1");

export const LeaseSpec = message("LeaseSpec", "Who holds the lease, and for how long.", {
  holderIdentity: pointer(1, string, "The present holder."),
  leaseDurationSeconds: pointer(
    2,
    int32,
    "How long others must wait after `renewTime` before they may take it.",
  ),
  acquireTime: pointer(3, microTime, "When the present holder took it."),
  renewTime: pointer(4, microTime, "When the present holder last renewed it."),
  leaseTransitions: pointer(5, int32, "How often the holder has changed."),
  strategy: pointer(6, string, "How the next holder is chosen, where candidates are coordinated."),
  preferredHolder: pointer(7, string, "To whom the holder should hand over."),
});

export const Lease = message("Lease", "A claim that one of several parties holds for a time.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  spec: optional(2, LeaseSpec, "The claim."),
});

export const leases = defineKind(Lease, {
  group: "coordination.k8s.io",
  version: "v1",
  kind: "Lease",
  plural: "leases",
  namespaced: true,
});
export type Lease = ObjectOf<typeof leases>;
