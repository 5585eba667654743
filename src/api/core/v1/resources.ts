import {
  type Out,
  amount,
  keyed,
  map,
  messages,
  optional,
  pointer,
  required,
  string,
} from "../../../meta/schema.ts";

const message = messages("io.k8s.api.core.v1");

export const ResourceClaim = message("ResourceClaim", "A reference to one of the Pod's resource claims.", {
  name: required(1, string, "The claim, by its name in the Pod."),
  request: optional(2, string, "One request of the claim; all when absent."),
});
export type ResourceClaim = Out<typeof ResourceClaim>;

export const ResourceRequirements = message(
  "ResourceRequirements",
  "The resource requirements of a container or Pod.",
  {
    limits: optional(1, map(amount), "The maximum amounts."),
    requests: optional(2, map(amount), "The guaranteed resources; defaults to the limits."),
    claims: optional(3, keyed(ResourceClaim, "name"), "The resource claims of the Pod that are used."),
  },
);
export type ResourceRequirements = Out<typeof ResourceRequirements>;

export const VolumeResourceRequirements = message(
  "VolumeResourceRequirements",
  "The storage requirements of a claim.",
  {
    limits: optional(1, map(amount), "The maximum amount."),
    requests: optional(2, map(amount), "The minimum amount."),
  },
);
export type VolumeResourceRequirements = Out<typeof VolumeResourceRequirements>;

export const ContainerResizePolicy = message(
  "ContainerResizePolicy",
  "The restart policy of a container for a resize of one resource.",
  {
    resourceName: required(1, string, "The resource: cpu or memory."),
    restartPolicy: required(
      2,
      string,
      "Whether the container is restarted: NotRequired or RestartContainer.",
    ),
  },
);
export type ContainerResizePolicy = Out<typeof ContainerResizePolicy>;

export const ResourceHealth = message("ResourceHealth", "The health of one allocated device.", {
  resourceID: required(1, string, "Identifies the device within its resource."),
  health: optional(2, string, "Healthy, Unhealthy or Unknown."),
  message: pointer(6, string, "A human-readable explanation."),
});
export type ResourceHealth = Out<typeof ResourceHealth>;

export const ResourceStatus = message(
  "ResourceStatus",
  "The health of the devices allocated for one resource.",
  {
    name: required(1, string, "The resource, or `claim:<claim>/<request>`."),
    resources: optional(2, keyed(ResourceHealth, "resourceID"), "The devices."),
  },
);
export type ResourceStatus = Out<typeof ResourceStatus>;
