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

export const TokenRequest = message("TokenRequest", "A token of the Pod's ServiceAccount for the driver.", {
  audience: required(1, string, "The token's audience; the API server when empty."),
  expirationSeconds: pointer(2, int64, "The token's lifetime in seconds."),
});
export type TokenRequest = Out<typeof TokenRequest>;

export const CSIDriverSpec = message("CSIDriverSpec", "The capabilities and requirements of a CSI driver.", {
  attachRequired: pointer(1, boolean, "Whether volumes must be attached before they are mounted.", {
    default: true,
  }),
  podInfoOnMount: pointer(
    2,
    boolean,
    "Whether the driver receives information about the Pod when it mounts.",
    { default: false },
  ),
  volumeLifecycleModes: optional(
    3,
    set(string),
    "The supported volume lifecycles: Persistent, Ephemeral or both.",
    {
      default: () => ["Persistent"],
    },
  ),
  storageCapacity: pointer(4, boolean, "Whether the driver reports its storage capacity.", {
    default: false,
  }),
  fsGroupPolicy: pointer(
    5,
    string,
    "The policy for the Pod's fsGroup on volumes: ReadWriteOnceWithFSType, File or None.",
    { default: "ReadWriteOnceWithFSType" },
  ),
  tokenRequests: optional(6, list(TokenRequest), "Tokens for the driver, with different audiences."),
  requiresRepublish: pointer(7, boolean, "Whether mounts are periodically republished.", {
    default: false,
  }),
  seLinuxMount: pointer(8, boolean, "Whether the driver can mount with an SELinux context.", {
    default: false,
  }),
  nodeAllocatableUpdatePeriodSeconds: pointer(
    9,
    int64,
    "The interval in seconds between updates of the node's volume limit; no updates when absent.",
  ),
  serviceAccountTokenInSecrets: pointer(10, boolean, "Whether the driver receives tokens as secrets."),
  preventPodSchedulingIfMissing: pointer(
    11,
    boolean,
    "Whether nodes without the driver are excluded for Pods with its volumes.",
  ),
});
export type CSIDriverSpec = Out<typeof CSIDriverSpec>;

export const CSIDriver = message("CSIDriver", "A CSI driver; the object's name is the driver's name.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  spec: required(2, CSIDriverSpec, "The driver's capabilities and requirements."),
});

export const csiDrivers = defineKind(CSIDriver, {
  group: "storage.k8s.io",
  version: "v1",
  kind: "CSIDriver",
  plural: "csidrivers",
  namespaced: false,
});
export type CSIDriver = ObjectOf<typeof csiDrivers>;
