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

export const ResourceClaim = message("ResourceClaim", "A use of one of the Pod's resource claims.", {
  name: required(1, string, "The claim, by its name in the Pod."),
  request: optional(2, string, "One request of the claim; absent, all of them."),
});
export type ResourceClaim = Out<typeof ResourceClaim>;

export const ResourceRequirements = message(
  "ResourceRequirements",
  "What a container or Pod needs, and may take at most.",
  {
    limits: optional(1, map(amount), "The most that may be used."),
    requests: optional(2, map(amount), "What is set aside; defaults to the limits."),
    claims: optional(3, keyed(ResourceClaim, "name"), "The Pod's resource claims that are used."),
  },
);
export type ResourceRequirements = Out<typeof ResourceRequirements>;

export const VolumeResourceRequirements = message(
  "VolumeResourceRequirements",
  "How much storage a claim needs.",
  {
    limits: optional(1, map(amount), "The most that is accepted."),
    requests: optional(2, map(amount), "The least that is accepted."),
  },
);
export type VolumeResourceRequirements = Out<typeof VolumeResourceRequirements>;

export const ContainerResizePolicy = message(
  "ContainerResizePolicy",
  "What a change of a resource means for a running container.",
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
  message: pointer(6, string, "More about the health, for people."),
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
