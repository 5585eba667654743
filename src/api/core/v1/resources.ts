import {
  type Out,
  keyed,
  map,
  messages,
  optional,
  pointer,
  quantity,
  required,
  string,
} from "../../../meta/schema.ts";

const message = messages("io.k8s.api.core.v1");

export const ResourceClaim = message("ResourceClaim", "A resource claim.", {
  name: required(1, string, "The name."),
  request: optional(2, string, "The request."),
});
export type ResourceClaim = Out<typeof ResourceClaim>;

export const ResourceRequirements = message("ResourceRequirements", "A resource requirements.", {
  limits: optional(1, map(quantity), "The limits."),
  requests: optional(2, map(quantity), "The requests."),
  claims: optional(3, keyed(ResourceClaim, "name"), "The claims."),
});
export type ResourceRequirements = Out<typeof ResourceRequirements>;

export const VolumeResourceRequirements = message(
  "VolumeResourceRequirements",
  "A volume resource requirements.",
  {
    limits: optional(1, map(quantity), "The limits."),
    requests: optional(2, map(quantity), "The requests."),
  },
);
export type VolumeResourceRequirements = Out<typeof VolumeResourceRequirements>;

export const ContainerResizePolicy = message("ContainerResizePolicy", "A container resize policy.", {
  resourceName: required(1, string, "The resource name."),
  restartPolicy: required(2, string, "The restart policy."),
});
export type ContainerResizePolicy = Out<typeof ContainerResizePolicy>;

export const ResourceHealth = message("ResourceHealth", "A resource health.", {
  resourceID: required(1, string, "The resource id."),
  health: optional(2, string, "The health."),
  message: pointer(6, string, "The message."),
});
export type ResourceHealth = Out<typeof ResourceHealth>;

export const ResourceStatus = message("ResourceStatus", "A resource status.", {
  name: required(1, string, "The name."),
  resources: optional(2, keyed(ResourceHealth, "resourceID"), "The resources."),
});
export type ResourceStatus = Out<typeof ResourceStatus>;
