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
import { ObjectFieldSelector, ResourceFieldSelector } from "./env.ts";
import { LocalObjectReference } from "./reference.ts";

const message = messages("io.k8s.api.core.v1");

export const KeyToPath = message("KeyToPath", "A key to path.", {
  key: required(1, string, "The key."),
  path: required(2, string, "The path."),
  mode: pointer(3, int32, "The mode."),
});
export type KeyToPath = Out<typeof KeyToPath>;

export const DownwardAPIVolumeFile = message("DownwardAPIVolumeFile", "A downward api volume file.", {
  path: required(1, string, "The path."),
  fieldRef: pointer(2, ObjectFieldSelector, "The field ref."),
  resourceFieldRef: pointer(3, ResourceFieldSelector, "The resource field ref."),
  mode: pointer(4, int32, "The mode."),
});
export type DownwardAPIVolumeFile = Out<typeof DownwardAPIVolumeFile>;

export const SecretProjection = message("SecretProjection", "A secret projection.", {
  localObjectReference: inline(1, LocalObjectReference, "The local object reference."),
  items: optional(2, list(KeyToPath), "The items."),
  optional: pointer(4, boolean, "The optional."),
});
export type SecretProjection = Out<typeof SecretProjection>;

export const ConfigMapProjection = message("ConfigMapProjection", "A config map projection.", {
  localObjectReference: inline(1, LocalObjectReference, "The local object reference."),
  items: optional(2, list(KeyToPath), "The items."),
  optional: pointer(4, boolean, "The optional."),
});
export type ConfigMapProjection = Out<typeof ConfigMapProjection>;

export const DownwardAPIProjection = message("DownwardAPIProjection", "A downward api projection.", {
  items: optional(1, list(DownwardAPIVolumeFile), "The items."),
});
export type DownwardAPIProjection = Out<typeof DownwardAPIProjection>;

export const ServiceAccountTokenProjection = message(
  "ServiceAccountTokenProjection",
  "A service account token projection.",
  {
    audience: optional(1, string, "The audience."),
    expirationSeconds: pointer(2, int64, "The expiration seconds.", { default: 3600 }),
    path: required(3, string, "The path."),
  },
);
export type ServiceAccountTokenProjection = Out<typeof ServiceAccountTokenProjection>;

export const ClusterTrustBundleProjection = message(
  "ClusterTrustBundleProjection",
  "A cluster trust bundle projection.",
  {
    name: pointer(1, string, "The name."),
    signerName: pointer(2, string, "The signer name."),
    labelSelector: pointer(3, LabelSelector, "The label selector."),
    optional: pointer(5, boolean, "The optional."),
    path: required(4, string, "The path."),
  },
);
export type ClusterTrustBundleProjection = Out<typeof ClusterTrustBundleProjection>;

export const PodCertificateProjection = message("PodCertificateProjection", "A pod certificate projection.", {
  signerName: optional(1, string, "The signer name."),
  keyType: optional(2, string, "The key type."),
  maxExpirationSeconds: pointer(3, int32, "The max expiration seconds."),
  credentialBundlePath: optional(4, string, "The credential bundle path."),
  keyPath: optional(5, string, "The key path."),
  certificateChainPath: optional(6, string, "The certificate chain path."),
  userAnnotations: optional(7, map(string), "The user annotations."),
});
export type PodCertificateProjection = Out<typeof PodCertificateProjection>;

export const VolumeProjection = message("VolumeProjection", "A volume projection.", {
  secret: pointer(1, SecretProjection, "The secret."),
  downwardAPI: pointer(2, DownwardAPIProjection, "The downward api."),
  configMap: pointer(3, ConfigMapProjection, "The config map."),
  serviceAccountToken: pointer(4, ServiceAccountTokenProjection, "The service account token."),
  clusterTrustBundle: pointer(5, ClusterTrustBundleProjection, "The cluster trust bundle."),
  podCertificate: pointer(6, PodCertificateProjection, "The pod certificate."),
});
export type VolumeProjection = Out<typeof VolumeProjection>;

export const ProjectedVolumeSource = message("ProjectedVolumeSource", "A projected volume source.", {
  sources: required(1, list(VolumeProjection), "The sources."),
  defaultMode: pointer(2, int32, "The default mode.", { default: 0o644 }),
});
export type ProjectedVolumeSource = Out<typeof ProjectedVolumeSource>;

export const SecretVolumeSource = message("SecretVolumeSource", "A secret volume source.", {
  secretName: optional(1, string, "The secret name."),
  items: optional(2, list(KeyToPath), "The items."),
  defaultMode: pointer(3, int32, "The default mode.", { default: 0o644 }),
  optional: pointer(4, boolean, "The optional."),
});
export type SecretVolumeSource = Out<typeof SecretVolumeSource>;

export const ConfigMapVolumeSource = message("ConfigMapVolumeSource", "A config map volume source.", {
  localObjectReference: inline(1, LocalObjectReference, "The local object reference."),
  items: optional(2, list(KeyToPath), "The items."),
  defaultMode: pointer(3, int32, "The default mode.", { default: 0o644 }),
  optional: pointer(4, boolean, "The optional."),
});
export type ConfigMapVolumeSource = Out<typeof ConfigMapVolumeSource>;

export const DownwardAPIVolumeSource = message("DownwardAPIVolumeSource", "A downward api volume source.", {
  items: optional(1, list(DownwardAPIVolumeFile), "The items."),
  defaultMode: pointer(2, int32, "The default mode.", { default: 0o644 }),
});
export type DownwardAPIVolumeSource = Out<typeof DownwardAPIVolumeSource>;
