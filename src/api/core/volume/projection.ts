import {
  type Out,
  boolean,
  inline,
  int32,
  int64,
  list,
  map,
  messages,
  optional,
  pointer,
  required,
  string,
} from "../../../meta/schema.ts";
import { LabelSelector } from "../../../meta/v1.ts";
import { ObjectFieldSelector, ResourceFieldSelector } from "../pod/env.ts";
import { LocalObjectReference } from "../v1/reference.ts";

const message = messages("io.k8s.api.core.v1");

export const KeyToPath = message("KeyToPath", "Maps a key to a file.", {
  key: required(1, string, "The key."),
  path: required(2, string, "The file's relative path."),
  mode: pointer(3, int32, "The file's permission bits; the volume's default when absent."),
});
export type KeyToPath = Out<typeof KeyToPath>;

export const DownwardAPIVolumeFile = message(
  "DownwardAPIVolumeFile",
  "A file with information about the Pod; one of the two sources is set.",
  {
    path: required(1, string, "The file's relative path."),
    fieldRef: pointer(2, ObjectFieldSelector, "A field of the Pod."),
    resourceFieldRef: pointer(3, ResourceFieldSelector, "A limit or request of a container."),
    mode: pointer(4, int32, "The file's permission bits; the volume's default when absent."),
  },
);
export type DownwardAPIVolumeFile = Out<typeof DownwardAPIVolumeFile>;

export const SecretProjection = message("SecretProjection", "A Secret's keys as files.", {
  localObjectReference: inline(1, LocalObjectReference, "The Secret."),
  items: optional(2, list(KeyToPath), "The keys and their paths; all keys when empty."),
  optional: pointer(4, boolean, "Whether the Secret or its keys may be missing."),
});
export type SecretProjection = Out<typeof SecretProjection>;

export const ConfigMapProjection = message("ConfigMapProjection", "A ConfigMap's keys as files.", {
  localObjectReference: inline(1, LocalObjectReference, "The ConfigMap."),
  items: optional(2, list(KeyToPath), "The keys and their paths; all keys when empty."),
  optional: pointer(4, boolean, "Whether the ConfigMap or its keys may be missing."),
});
export type ConfigMapProjection = Out<typeof ConfigMapProjection>;

export const DownwardAPIProjection = message("DownwardAPIProjection", "Information about the Pod as files.", {
  items: optional(1, list(DownwardAPIVolumeFile), "The files."),
});
export type DownwardAPIProjection = Out<typeof DownwardAPIProjection>;

export const ServiceAccountTokenProjection = message(
  "ServiceAccountTokenProjection",
  "A token of the Pod's ServiceAccount as a file.",
  {
    audience: optional(1, string, "The token's audience; the API server when empty."),
    expirationSeconds: pointer(
      2,
      int64,
      "The token's lifetime in seconds; it is rotated before it expires.",
      {
        default: 3600,
      },
    ),
    path: required(3, string, "The file's relative path."),
  },
);
export type ServiceAccountTokenProjection = Out<typeof ServiceAccountTokenProjection>;

export const ClusterTrustBundleProjection = message(
  "ClusterTrustBundleProjection",
  "Trust anchors as a file.",
  {
    name: pointer(1, string, "One ClusterTrustBundle, by name."),
    signerName: pointer(2, string, "All bundles of this signer."),
    labelSelector: pointer(3, LabelSelector, "The label selector of the signer's bundles."),
    optional: pointer(5, boolean, "Whether the bundles may be missing."),
    path: required(4, string, "The file's relative path."),
  },
);
export type ClusterTrustBundleProjection = Out<typeof ClusterTrustBundleProjection>;

export const PodCertificateProjection = message(
  "PodCertificateProjection",
  "A private key and its certificate chain as files, rotated before expiry.",
  {
    signerName: optional(1, string, "The signer."),
    keyType: optional(2, string, "The kind of key, such as ED25519 or ECDSAP256."),
    maxExpirationSeconds: pointer(3, int32, "The maximum lifetime of the certificate in seconds."),
    credentialBundlePath: optional(4, string, "The file for key and chain together."),
    keyPath: optional(5, string, "The file for the key."),
    certificateChainPath: optional(6, string, "The file for the chain."),
    userAnnotations: optional(7, map(string), "Annotations that are passed to the signer."),
  },
);
export type PodCertificateProjection = Out<typeof PodCertificateProjection>;

export const VolumeProjection = message(
  "VolumeProjection",
  "One source of a projected volume; exactly one is set.",
  {
    secret: pointer(1, SecretProjection, "A Secret."),
    downwardAPI: pointer(2, DownwardAPIProjection, "Information about the Pod."),
    configMap: pointer(3, ConfigMapProjection, "A ConfigMap."),
    serviceAccountToken: pointer(4, ServiceAccountTokenProjection, "A token."),
    clusterTrustBundle: pointer(5, ClusterTrustBundleProjection, "Trust anchors."),
    podCertificate: pointer(6, PodCertificateProjection, "A key and its certificate."),
  },
);
export type VolumeProjection = Out<typeof VolumeProjection>;

export const ProjectedVolumeSource = message("ProjectedVolumeSource", "Several sources in one directory.", {
  sources: required(1, list(VolumeProjection), "The sources."),
  defaultMode: pointer(2, int32, "Permission bits of files that set none.", { default: 0o644 }),
});
export type ProjectedVolumeSource = Out<typeof ProjectedVolumeSource>;

export const SecretVolumeSource = message("SecretVolumeSource", "A Secret's keys as files.", {
  secretName: optional(1, string, "The Secret."),
  items: optional(2, list(KeyToPath), "The keys and their paths; all keys when empty."),
  defaultMode: pointer(3, int32, "Permission bits of files that set none.", { default: 0o644 }),
  optional: pointer(4, boolean, "Whether the Secret or its keys may be missing."),
});
export type SecretVolumeSource = Out<typeof SecretVolumeSource>;

export const ConfigMapVolumeSource = message("ConfigMapVolumeSource", "A ConfigMap's keys as files.", {
  localObjectReference: inline(1, LocalObjectReference, "The ConfigMap."),
  items: optional(2, list(KeyToPath), "The keys and their paths; all keys when empty."),
  defaultMode: pointer(3, int32, "Permission bits of files that set none.", { default: 0o644 }),
  optional: pointer(4, boolean, "Whether the ConfigMap or its keys may be missing."),
});
export type ConfigMapVolumeSource = Out<typeof ConfigMapVolumeSource>;

export const DownwardAPIVolumeSource = message(
  "DownwardAPIVolumeSource",
  "Information about the Pod as files.",
  {
    items: optional(1, list(DownwardAPIVolumeFile), "The files."),
    defaultMode: pointer(2, int32, "Permission bits of files that set none.", { default: 0o644 }),
  },
);
export type DownwardAPIVolumeSource = Out<typeof DownwardAPIVolumeSource>;
