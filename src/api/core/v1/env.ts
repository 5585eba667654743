import {
  type Out,
  boolean,
  inline,
  messages,
  optional,
  pointer,
  quantity,
  required,
  string,
} from "../../../meta/schema.ts";
import { LocalObjectReference } from "./reference.ts";

const message = messages("io.k8s.api.core.v1");

export const ObjectFieldSelector = message(
  "ObjectFieldSelector",
  "A object field selector.",
  {
    apiVersion: optional(1, string, "The api version.", { default: "v1" }),
    fieldPath: required(2, string, "The field path."),
  },
  { atomic: true },
);
export type ObjectFieldSelector = Out<typeof ObjectFieldSelector>;

export const ResourceFieldSelector = message(
  "ResourceFieldSelector",
  "A resource field selector.",
  {
    containerName: optional(1, string, "The container name."),
    resource: required(2, string, "The resource."),
    divisor: optional(3, quantity, "The divisor."),
  },
  { atomic: true },
);
export type ResourceFieldSelector = Out<typeof ResourceFieldSelector>;

export const ConfigMapKeySelector = message(
  "ConfigMapKeySelector",
  "A config map key selector.",
  {
    localObjectReference: inline(1, LocalObjectReference, "The local object reference."),
    key: required(2, string, "The key."),
    optional: pointer(3, boolean, "The optional."),
  },
  { atomic: true },
);
export type ConfigMapKeySelector = Out<typeof ConfigMapKeySelector>;

export const SecretKeySelector = message(
  "SecretKeySelector",
  "A secret key selector.",
  {
    localObjectReference: inline(1, LocalObjectReference, "The local object reference."),
    key: required(2, string, "The key."),
    optional: pointer(3, boolean, "The optional."),
  },
  { atomic: true },
);
export type SecretKeySelector = Out<typeof SecretKeySelector>;

export const FileKeySelector = message(
  "FileKeySelector",
  "A file key selector.",
  {
    volumeName: required(1, string, "The volume name."),
    path: required(2, string, "The path."),
    key: required(3, string, "The key."),
    optional: pointer(4, boolean, "The optional.", { default: false }),
  },
  { atomic: true },
);
export type FileKeySelector = Out<typeof FileKeySelector>;

export const EnvVarSource = message("EnvVarSource", "A env var source.", {
  fieldRef: pointer(1, ObjectFieldSelector, "The field ref."),
  resourceFieldRef: pointer(2, ResourceFieldSelector, "The resource field ref."),
  configMapKeyRef: pointer(3, ConfigMapKeySelector, "The config map key ref."),
  secretKeyRef: pointer(4, SecretKeySelector, "The secret key ref."),
  fileKeyRef: pointer(5, FileKeySelector, "The file key ref."),
});
export type EnvVarSource = Out<typeof EnvVarSource>;

export const EnvVar = message("EnvVar", "A env var.", {
  name: required(1, string, "The name."),
  value: optional(2, string, "The value."),
  valueFrom: pointer(3, EnvVarSource, "The value from."),
});
export type EnvVar = Out<typeof EnvVar>;

export const ConfigMapEnvSource = message("ConfigMapEnvSource", "A config map env source.", {
  localObjectReference: inline(1, LocalObjectReference, "The local object reference."),
  optional: pointer(2, boolean, "The optional."),
});
export type ConfigMapEnvSource = Out<typeof ConfigMapEnvSource>;

export const SecretEnvSource = message("SecretEnvSource", "A secret env source.", {
  localObjectReference: inline(1, LocalObjectReference, "The local object reference."),
  optional: pointer(2, boolean, "The optional."),
});
export type SecretEnvSource = Out<typeof SecretEnvSource>;

export const EnvFromSource = message("EnvFromSource", "A env from source.", {
  prefix: optional(1, string, "The prefix."),
  configMapRef: pointer(2, ConfigMapEnvSource, "The config map ref."),
  secretRef: pointer(3, SecretEnvSource, "The secret ref."),
});
export type EnvFromSource = Out<typeof EnvFromSource>;
