import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import {
  type Out,
  boolean,
  int64,
  list,
  messages,
  optional,
  pointer,
  required,
  set,
  string,
} from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.storage.v1");

export const TokenRequest = message(
  "TokenRequest",
  "A token of a Pod's ServiceAccount that the driver gets.",
  {
    audience: required(1, string, "Whom it is for; the API server when empty."),
    expirationSeconds: pointer(2, int64, "How long it lasts."),
  },
);
export type TokenRequest = Out<typeof TokenRequest>;

export const CSIDriverSpec = message("CSIDriverSpec", "What a CSI driver can do and needs.", {
  attachRequired: pointer(1, boolean, "Whether volumes are attached before they are mounted.", {
    default: true,
  }),
  podInfoOnMount: pointer(2, boolean, "Whether it is told about the Pod when it mounts.", { default: false }),
  volumeLifecycleModes: optional(3, set(string), "What volumes it has: Persistent, Ephemeral or both.", {
    default: () => ["Persistent"],
  }),
  storageCapacity: pointer(4, boolean, "Whether it says how much storage is left.", { default: false }),
  fsGroupPolicy: pointer(
    5,
    string,
    "Whether owner and mode of files follow the Pod's fsGroup: ReadWriteOnceWithFSType, File or None.",
    { default: "ReadWriteOnceWithFSType" },
  ),
  tokenRequests: optional(6, list(TokenRequest), "Tokens that it gets, of different audiences."),
  requiresRepublish: pointer(7, boolean, "Whether it is called again and again to renew a mount.", {
    default: false,
  }),
  seLinuxMount: pointer(8, boolean, "Whether it can mount with an SELinux context.", { default: false }),
  nodeAllocatableUpdatePeriodSeconds: pointer(
    9,
    int64,
    "How often it is asked how many volumes a node can have; never when absent.",
  ),
  serviceAccountTokenInSecrets: pointer(10, boolean, "Whether it gets tokens as secrets."),
  preventPodSchedulingIfMissing: pointer(
    11,
    boolean,
    "Whether nodes without it take no Pods with its volumes.",
  ),
});
export type CSIDriverSpec = Out<typeof CSIDriverSpec>;

export const CSIDriver = message("CSIDriver", "A CSI driver; its name is the driver's.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  spec: required(2, CSIDriverSpec, "What it can do and needs."),
});

export const csiDrivers = defineKind(CSIDriver, {
  group: "storage.k8s.io",
  version: "v1",
  kind: "CSIDriver",
  plural: "csidrivers",
  namespaced: false,
});
export type CSIDriver = ObjectOf<typeof csiDrivers>;
