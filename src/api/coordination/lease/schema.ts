import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import { int32, messages, microTime, optional, pointer, string } from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.coordination.v1");

export const LeaseSpec = message("LeaseSpec", "The holder and the duration of a lease.", {
  holderIdentity: pointer(1, string, "The current holder."),
  leaseDurationSeconds: pointer(
    2,
    int32,
    "The number of seconds after `renewTime` for which others must wait.",
  ),
  acquireTime: pointer(3, microTime, "The time when the holder acquired the lease."),
  renewTime: pointer(4, microTime, "The time when the holder last renewed the lease."),
  leaseTransitions: pointer(5, int32, "The number of changes of the holder."),
  strategy: pointer(6, string, "The strategy for the choice of the next holder in a coordinated election."),
  preferredHolder: pointer(7, string, "The preferred next holder."),
});

export const Lease = message("Lease", "A lock that one of several parties holds for a limited time.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  spec: optional(2, LeaseSpec, "The lock."),
});

export const leases = defineKind(Lease, {
  group: "coordination.k8s.io",
  version: "v1",
  kind: "Lease",
  plural: "leases",
  namespaced: true,
});
export type Lease = ObjectOf<typeof leases>;
