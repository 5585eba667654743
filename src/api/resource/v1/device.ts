import {
  type Out,
  boolean,
  int64,
  list,
  map,
  messages,
  oneOf,
  optional,
  pointer,
  quantity,
  required,
  string,
  time,
} from "../../../meta/schema.ts";
import { NodeSelector } from "../../core/v1/scheduling.ts";

const message = messages("io.k8s.api.resource.v1");

export const DeviceAttribute = message("DeviceAttribute", "One value, of one type.", {
  int: pointer(2, int64, "A number."),
  bool: pointer(3, boolean, "True or false."),
  string: pointer(4, string, "A text of 64 bytes at most."),
  version: pointer(5, string, "A semantic version of 64 bytes at most."),
  ints: optional(6, list(int64), "Integers; dropped because the feature DRAListTypeAttributes is off."),
  bools: optional(7, list(boolean), "Booleans; dropped because the feature DRAListTypeAttributes is off."),
  strings: optional(8, list(string), "Strings; dropped because the feature DRAListTypeAttributes is off."),
  versions: optional(9, list(string), "Versions; dropped because the feature DRAListTypeAttributes is off."),
});
export type DeviceAttribute = Out<typeof DeviceAttribute>;

export const CapacityRequestPolicyRange = message(
  "CapacityRequestPolicyRange",
  "Amounts that may be asked for.",
  {
    min: pointer(1, quantity, "The minimum; smaller requests are rounded up."),
    max: pointer(2, quantity, "The maximum."),
    step: pointer(3, quantity, "The step between two amounts; requests in between are rounded up."),
  },
);
export type CapacityRequestPolicyRange = Out<typeof CapacityRequestPolicyRange>;

export const CapacityRequestPolicy = message("CapacityRequestPolicy", "The amounts that can be requested.", {
  default: pointer(1, quantity, "The amount for requests that specify none."),
  validValues: optional(3, list(quantity), "The amounts, in ascending order, 10 at most."),
  validRange: pointer(4, CapacityRequestPolicyRange, "The range of amounts."),
});
export type CapacityRequestPolicy = Out<typeof CapacityRequestPolicy>;

export const DeviceCapacity = message("DeviceCapacity", "A capacity of a device.", {
  value: required(1, quantity, "The amount."),
  requestPolicy: pointer(
    2,
    CapacityRequestPolicy,
    "The amounts that can be requested when the device is shared.",
  ),
});
export type DeviceCapacity = Out<typeof DeviceCapacity>;

export const Counter = message("Counter", "An amount.", {
  value: required(1, quantity, "The amount."),
});

export const CounterSet = message("CounterSet", "Amounts that the devices of a pool share.", {
  name: required(1, string, "A DNS label."),
  counters: optional(2, map(Counter), "The amounts, by DNS label, 32 at most."),
});
export type CounterSet = Out<typeof CounterSet>;

export const DeviceCounterConsumption = message(
  "DeviceCounterConsumption",
  "The shared counters that a device consumes.",
  {
    counterSet: required(1, string, "The set of amounts."),
    counters: optional(2, map(Counter), "The consumed amounts, at most 32."),
  },
);
export type DeviceCounterConsumption = Out<typeof DeviceCounterConsumption>;

export const DeviceTaint = message(
  "DeviceTaint",
  "Excludes a device for claims that do not tolerate the taint.",
  {
    key: required(1, string, "A label's key."),
    value: optional(2, string, "A label's value."),
    effect: required(3, oneOf("NoExecute", "NoSchedule", "None"), "The effect on Pods with such claims."),
    timeAdded: pointer(4, time, "The time when the taint was added; set by the server when absent."),
  },
);
export type DeviceTaint = Out<typeof DeviceTaint>;

export const NodeAllocatableResourceMapping = message(
  "NodeAllocatableResourceMapping",
  "The amount of a node resource that a device consumes.",
  {
    capacityKey: pointer(1, string, "The capacity to count; devices are counted when absent."),
    allocationMultiplier: pointer(2, quantity, "The factor that the count is multiplied by."),
  },
);

export const Device = message("Device", "One device, chosen by its attributes.", {
  name: required(1, string, "A DNS label, unique in the pool."),
  attributes: optional(
    2,
    map(DeviceAttribute),
    "The device's attributes, by name, with or without a domain.",
  ),
  capacity: optional(3, map(DeviceCapacity), "The device's capacities, by name, with or without a domain."),
  consumesCounters: optional(
    4,
    list(DeviceCounterConsumption),
    "The shared counters that the device consumes, of at most 2 sets.",
  ),
  nodeName: pointer(5, string, "The node of the device; only with per-device node selection."),
  nodeSelector: pointer(6, NodeSelector, "The nodes of the device; only with per-device node selection."),
  allNodes: pointer(
    7,
    boolean,
    "Whether all nodes can access the device; only with per-device node selection.",
  ),
  taints: optional(8, list(DeviceTaint), "The device's taints, at most 16."),
  bindsToNode: pointer(9, boolean, "Whether an allocation restricts the claim to the chosen node."),
  bindingConditions: optional(
    10,
    list(string),
    "Conditions that must be true before a Pod is bound, 4 at most.",
  ),
  bindingFailureConditions: optional(
    11,
    list(string),
    "Conditions that, when true, make binding fail, 4 at most.",
  ),
  allowMultipleAllocations: pointer(12, boolean, "Whether several claims may share the device."),
  nodeAllocatableResourceMappings: optional(
    13,
    map(NodeAllocatableResourceMapping),
    "The node resources that the device consumes; dropped because the feature DRANodeAllocatableResources is off.",
  ),
});
export type Device = Out<typeof Device>;
