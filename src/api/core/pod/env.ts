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
import { LocalObjectReference } from "../v1/reference.ts";

const message = messages("io.k8s.api.core.v1");

export const ObjectFieldSelector = message(
  "ObjectFieldSelector",
  "Takes a value from a field of the Pod.",
  {
    apiVersion: optional(1, string, "The version that the path is written for.", { default: "v1" }),
    fieldPath: required(2, string, "The field."),
  },
  { atomic: true },
);
export type ObjectFieldSelector = Out<typeof ObjectFieldSelector>;

export const ResourceFieldSelector = message(
  "ResourceFieldSelector",
  "Takes a value from a container's limits or requests.",
  {
    containerName: optional(1, string, "The container; required in volumes, otherwise the container itself."),
    resource: required(2, string, "The resource, such as `limits.cpu`."),
    divisor: required(3, quantity, "The divisor of the result; 1 when zero."),
  },
  { atomic: true },
);
export type ResourceFieldSelector = Out<typeof ResourceFieldSelector>;

export const ConfigMapKeySelector = message(
  "ConfigMapKeySelector",
  "Takes one value out of a ConfigMap.",
  {
    localObjectReference: inline(1, LocalObjectReference, "The ConfigMap."),
    key: required(2, string, "The key."),
    optional: pointer(3, boolean, "Whether the ConfigMap or its key may be missing."),
  },
  { atomic: true },
);
export type ConfigMapKeySelector = Out<typeof ConfigMapKeySelector>;

export const SecretKeySelector = message(
  "SecretKeySelector",
  "Takes one value out of a Secret.",
  {
    localObjectReference: inline(1, LocalObjectReference, "The Secret."),
    key: required(2, string, "The key."),
    optional: pointer(3, boolean, "Whether the Secret or its key may be missing."),
  },
  { atomic: true },
);
export type SecretKeySelector = Out<typeof SecretKeySelector>;

export const FileKeySelector = message(
  "FileKeySelector",
  "Takes one variable out of an env file in a volume.",
  {
    volumeName: required(1, string, "The volume that holds the file."),
    path: required(2, string, "The file's path within the volume."),
    key: required(3, string, "The variable's name in the file."),
    optional: pointer(4, boolean, "Whether the file or the key may be missing.", { default: false }),
  },
  { atomic: true },
);
export type FileKeySelector = Out<typeof FileKeySelector>;

export const EnvVarSource = message(
  "EnvVarSource",
  "The source of an environment variable's value; exactly one is set.",
  {
    fieldRef: pointer(1, ObjectFieldSelector, "A field of the Pod."),
    resourceFieldRef: pointer(2, ResourceFieldSelector, "A limit or request of the container."),
    configMapKeyRef: pointer(3, ConfigMapKeySelector, "A key of a ConfigMap."),
    secretKeyRef: pointer(4, SecretKeySelector, "A key of a Secret."),
    fileKeyRef: pointer(5, FileKeySelector, "A key in an env file."),
  },
);
export type EnvVarSource = Out<typeof EnvVarSource>;

export const EnvVar = message("EnvVar", "An environment variable.", {
  name: required(1, string, "The variable's name."),
  value: optional(2, string, "The value; `$(NAME)` stands for variables defined before."),
  valueFrom: pointer(3, EnvVarSource, "The source of the value; not allowed when `value` is set."),
});
export type EnvVar = Out<typeof EnvVar>;

export const ConfigMapEnvSource = message(
  "ConfigMapEnvSource",
  "Environment variables from all keys of a ConfigMap.",
  {
    localObjectReference: inline(1, LocalObjectReference, "The ConfigMap."),
    optional: pointer(2, boolean, "Whether the ConfigMap may be missing."),
  },
);
export type ConfigMapEnvSource = Out<typeof ConfigMapEnvSource>;

export const SecretEnvSource = message(
  "SecretEnvSource",
  "Environment variables from all keys of a Secret.",
  {
    localObjectReference: inline(1, LocalObjectReference, "The Secret."),
    optional: pointer(2, boolean, "Whether the Secret may be missing."),
  },
);
export type SecretEnvSource = Out<typeof SecretEnvSource>;

export const EnvFromSource = message("EnvFromSource", "A source of environment variables.", {
  prefix: optional(1, string, "A prefix of each variable's name."),
  configMapRef: pointer(2, ConfigMapEnvSource, "The ConfigMap to read."),
  secretRef: pointer(3, SecretEnvSource, "The Secret to read."),
});
export type EnvFromSource = Out<typeof EnvFromSource>;
