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

export const ResourceClaimSpec = message("ResourceClaimSpec", "What is asked for.", {
  devices: optional(1, DeviceClaim, "The devices."),
});
export type ResourceClaimSpec = Out<typeof ResourceClaimSpec>;

export const DeviceRequestAllocationResult = message(
  "DeviceRequestAllocationResult",
  "One device that was allocated.",
  {
    request: required(1, string, "For which request, as `request` or `request/subrequest`."),
    driver: required(2, string, "The driver that prepares it."),
    pool: required(3, string, "The pool it is from."),
    device: required(4, string, "Its name in the pool."),
    adminAccess: pointer(5, boolean, "Whether it is only looked after."),
    tolerations: optional(6, list(DeviceToleration), "The taints that the request put up with."),
    bindingConditions: optional(7, list(string), "Conditions that must be true before a Pod is bound."),
    bindingFailureConditions: optional(8, list(string), "Conditions that, when true, make binding fail."),
    shareID: pointer(9, string, "The UUID of this share, where several share the device."),
    consumedCapacity: optional(10, map(quantity), "How much of the device this takes, by name of capacity."),
  },
);
export type DeviceRequestAllocationResult = Out<typeof DeviceRequestAllocationResult>;

export const DeviceAllocationConfiguration = message(
  "DeviceAllocationConfiguration",
  "How allocated devices are set up.",
  {
    source: required(1, oneOf("FromClaim", "FromClass"), "Whose words these are."),
    requests: optional(2, list(string), "The requests meant; none means all."),
    deviceConfiguration: inline(3, DeviceConfiguration, "How."),
  },
);
export type DeviceAllocationConfiguration = Out<typeof DeviceAllocationConfiguration>;

export const DeviceAllocationResult = message("DeviceAllocationResult", "The devices that were allocated.", {
  results: optional(1, list(DeviceRequestAllocationResult), "The devices."),
  config: optional(2, list(DeviceAllocationConfiguration), "How they are set up: what class and claim say."),
});
export type DeviceAllocationResult = Out<typeof DeviceAllocationResult>;

export const AllocationResult = message("AllocationResult", "What was allocated.", {
  devices: optional(1, DeviceAllocationResult, "The devices."),
  nodeSelector: pointer(3, NodeSelector, "Where they can be used; unset: everywhere."),
  allocationTimestamp: pointer(5, time, "Since when."),
});
export type AllocationResult = Out<typeof AllocationResult>;

export const ResourceClaimConsumerReference = message("ResourceClaimConsumerReference", "Who uses a claim.", {
  apiGroup: optional(1, string, "The group of its resource; empty for the core."),
  resource: required(3, string, "Its resource, such as `pods`."),
  name: required(4, string, "Its name."),
  uid: required(5, string, "Which one of that name."),
});
export type ResourceClaimConsumerReference = Out<typeof ResourceClaimConsumerReference>;

export const NetworkDeviceData = message("NetworkDeviceData", "What a network device became.", {
  interfaceName: optional(1, string, "The interface's name, of 256 bytes at most."),
  ips: optional(2, list(string), "Its addresses, each with the length of its prefix."),
  hardwareAddress: optional(3, string, "Its hardware address, of 128 bytes at most."),
});
export type NetworkDeviceData = Out<typeof NetworkDeviceData>;

export const AllocatedDeviceStatus = message("AllocatedDeviceStatus", "What a driver says of a device.", {
  driver: required(1, string, "The driver."),
  pool: required(2, string, "The pool of the device."),
  device: required(3, string, "Its name in the pool."),
  shareID: pointer(7, string, "The UUID of the share."),
  conditions: required(4, keyed(Condition, "type"), "Its state, in at most 8 aspects."),
  data: pointer(5, rawExtension, "An object of any shape, of 10 KiB at most."),
  networkData: pointer(6, NetworkDeviceData, "What it is in the network."),
});
export type AllocatedDeviceStatus = Out<typeof AllocatedDeviceStatus>;

export const ResourceClaimStatus = message("ResourceClaimStatus", "What became of a claim.", {
  allocation: pointer(1, AllocationResult, "What was allocated; never changed but taken away."),
  reservedFor: optional(
    2,
    keyed(ResourceClaimConsumerReference, "uid"),
    "Who may use it, at most 256; in use, it stays allocated.",
    { merge: "uid" },
  ),
  devices: optional(
    4,
    keyed(AllocatedDeviceStatus, "driver", "device", "pool", "shareID"),
    "What drivers say of the devices.",
  ),
});
export type ResourceClaimStatus = Out<typeof ResourceClaimStatus>;

const ResourceClaim = message("ResourceClaim", "A claim for devices, which Pods can use.", {
  metadata: optional(1, ObjectMeta, "Standard metadata."),
  spec: required(2, ResourceClaimSpec, "What is asked for; it never changes."),
  status: optional(3, ResourceClaimStatus, "What became of it."),
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
