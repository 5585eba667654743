import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import {
  type Out,
  boolean,
  inline,
  keyed,
  list,
  map,
  messages,
  oneOf,
  optional,
  pointer,
  quantity,
  rawExtension,
  required,
  string,
  time,
} from "../../../meta/schema.ts";
import { Condition, ObjectMeta } from "../../../meta/v1.ts";
import { NodeSelector } from "../../core/v1/scheduling.ts";
import { DeviceConfiguration } from "../v1/device-configuration.ts";
import { DeviceClaim, DeviceToleration } from "./device-request.ts";

const message = messages("io.k8s.api.resource.v1");

export const ResourceClaimSpec = message("ResourceClaimSpec", "The requested devices of a claim.", {
  devices: optional(1, DeviceClaim, "The devices."),
});
export type ResourceClaimSpec = Out<typeof ResourceClaimSpec>;

export const DeviceRequestAllocationResult = message(
  "DeviceRequestAllocationResult",
  "One device that was allocated.",
  {
    request: required(1, string, "The satisfied request, as `request` or `request/subrequest`."),
    driver: required(2, string, "The device's driver."),
    pool: required(3, string, "The device's pool."),
    device: required(4, string, "The device's name in the pool."),
    adminAccess: pointer(5, boolean, "Whether the device was allocated for administrative access."),
    tolerations: optional(6, list(DeviceToleration), "The tolerations of the request."),
    bindingConditions: optional(7, list(string), "Conditions that must be true before a Pod is bound."),
    bindingFailureConditions: optional(8, list(string), "Conditions that, when true, make binding fail."),
    shareID: pointer(9, string, "The UUID of this share, where several share the device."),
    consumedCapacity: optional(
      10,
      map(quantity),
      "The capacity of the device that this allocation consumes.",
    ),
  },
);
export type DeviceRequestAllocationResult = Out<typeof DeviceRequestAllocationResult>;

export const DeviceAllocationConfiguration = message(
  "DeviceAllocationConfiguration",
  "The configuration of allocated devices.",
  {
    source: required(
      1,
      oneOf("FromClaim", "FromClass"),
      "The source of the configuration: the class or the claim.",
    ),
    requests: optional(2, list(string), "The requests; all when empty."),
    deviceConfiguration: inline(3, DeviceConfiguration, "The configuration."),
  },
);
export type DeviceAllocationConfiguration = Out<typeof DeviceAllocationConfiguration>;

export const DeviceAllocationResult = message("DeviceAllocationResult", "The devices that were allocated.", {
  results: optional(1, list(DeviceRequestAllocationResult), "The devices."),
  config: optional(2, list(DeviceAllocationConfiguration), "The configuration from class and claim."),
});
export type DeviceAllocationResult = Out<typeof DeviceAllocationResult>;

export const AllocationResult = message("AllocationResult", "The result of an allocation.", {
  devices: optional(1, DeviceAllocationResult, "The devices."),
  nodeSelector: pointer(3, NodeSelector, "The nodes that can use the devices; all when absent."),
  allocationTimestamp: pointer(5, time, "The time of the allocation."),
});
export type AllocationResult = Out<typeof AllocationResult>;

export const ResourceClaimConsumerReference = message(
  "ResourceClaimConsumerReference",
  "A consumer of a claim.",
  {
    apiGroup: optional(1, string, "The group of the consumer's resource; empty for the core group."),
    resource: required(3, string, "The consumer's resource, such as `pods`."),
    name: required(4, string, "The consumer's name."),
    uid: required(5, string, "The consumer's UID."),
  },
);
export type ResourceClaimConsumerReference = Out<typeof ResourceClaimConsumerReference>;

export const NetworkDeviceData = message("NetworkDeviceData", "The network data of a device.", {
  interfaceName: optional(1, string, "The interface's name, of 256 bytes at most."),
  ips: optional(2, list(string), "The interface's addresses, each with its prefix length."),
  hardwareAddress: optional(3, string, "The hardware address, of at most 128 bytes."),
});
export type NetworkDeviceData = Out<typeof NetworkDeviceData>;

export const AllocatedDeviceStatus = message(
  "AllocatedDeviceStatus",
  "The status of an allocated device, as reported by its driver.",
  {
    driver: required(1, string, "The driver."),
    pool: required(2, string, "The pool of the device."),
    device: required(3, string, "The device's name in the pool."),
    shareID: pointer(7, string, "The UUID of the share."),
    conditions: required(4, keyed(Condition, "type"), "The device's conditions, at most 8."),
    data: pointer(5, rawExtension, "An object of any shape, of 10 KiB at most."),
    networkData: pointer(6, NetworkDeviceData, "The device's network data."),
  },
);
export type AllocatedDeviceStatus = Out<typeof AllocatedDeviceStatus>;

export const ResourceClaimStatus = message("ResourceClaimStatus", "The observed state of a ResourceClaim.", {
  allocation: pointer(1, AllocationResult, "The allocation; immutable until it is removed."),
  reservedFor: optional(
    2,
    keyed(ResourceClaimConsumerReference, "uid"),
    "The consumers that may use the claim, at most 256; the claim stays allocated while there are any.",
    { merge: "uid" },
  ),
  devices: optional(
    4,
    keyed(AllocatedDeviceStatus, "driver", "device", "pool", "shareID"),
    "The status of the allocated devices, as reported by their drivers.",
  ),
});
export type ResourceClaimStatus = Out<typeof ResourceClaimStatus>;

const ResourceClaim = message("ResourceClaim", "A claim for devices that Pods can use.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  spec: required(2, ResourceClaimSpec, "The requested devices; immutable."),
  status: optional(3, ResourceClaimStatus, "The observed state."),
});

export const resourceClaims = defineKind(ResourceClaim, {
  group: "resource.k8s.io",
  version: "v1",
  kind: "ResourceClaim",
  plural: "resourceclaims",
  namespaced: true,
  status: true,
});
export type ResourceClaim = ObjectOf<typeof resourceClaims>;
