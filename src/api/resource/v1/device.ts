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
  ints: optional(6, list(int64), "Numbers; not kept, as the feature DRAListTypeAttributes is off."),
  bools: optional(7, list(boolean), "True or false, more than once; not kept either."),
  strings: optional(8, list(string), "Texts; not kept either."),
  versions: optional(9, list(string), "Versions; not kept either."),
});
export type DeviceAttribute = Out<typeof DeviceAttribute>;

export const CapacityRequestPolicyRange = message(
  "CapacityRequestPolicyRange",
  "Amounts that may be asked for.",
  {
    min: pointer(1, quantity, "The least; smaller requests get it."),
    max: pointer(2, quantity, "The most."),
    step: pointer(3, quantity, "What lies between two amounts; requests in between get the next."),
  },
);
export type CapacityRequestPolicyRange = Out<typeof CapacityRequestPolicyRange>;

export const CapacityRequestPolicy = message("CapacityRequestPolicy", "How much may be asked for.", {
  default: pointer(1, quantity, "What is taken where a request says nothing."),
  validValues: optional(3, list(quantity), "The amounts, in ascending order, 10 at most."),
  validRange: pointer(4, CapacityRequestPolicyRange, "From where to where."),
});
export type CapacityRequestPolicy = Out<typeof CapacityRequestPolicy>;

export const DeviceCapacity = message("DeviceCapacity", "How much of something a device has.", {
  value: required(1, quantity, "How much."),
  requestPolicy: pointer(
    2,
    CapacityRequestPolicy,
    "How much of it may be asked for, where devices are shared.",
  ),
});
export type DeviceCapacity = Out<typeof DeviceCapacity>;

export const Counter = message("Counter", "An amount.", {
  value: required(1, quantity, "How much."),
});

export const CounterSet = message("CounterSet", "Amounts that the devices of a pool share.", {
  name: required(1, string, "A DNS label."),
  counters: optional(2, map(Counter), "The amounts, by DNS label, 32 at most."),
});
export type CounterSet = Out<typeof CounterSet>;

export const DeviceCounterConsumption = message(
  "DeviceCounterConsumption",
  "What a device takes of shared amounts.",
  {
    counterSet: required(1, string, "The set of amounts."),
    counters: optional(2, map(Counter), "How much of each, 32 at most."),
  },
);
export type DeviceCounterConsumption = Out<typeof DeviceCounterConsumption>;

export const DeviceTaint = message("DeviceTaint", "Keeps claims that do not tolerate it off a device.", {
  key: required(1, string, "A label's key."),
  value: optional(2, string, "A label's value."),
  effect: required(3, oneOf("NoExecute", "NoSchedule", "None"), "What happens to Pods with such claims."),
  timeAdded: pointer(4, time, "When it was added; set by the server where it is not."),
});
export type DeviceTaint = Out<typeof DeviceTaint>;

export const NodeAllocatableResourceMapping = message(
  "NodeAllocatableResourceMapping",
  "What a device takes of a resource of its node.",
  {
    capacityKey: pointer(1, string, "The capacity that it is counted by; unset: devices are counted."),
    allocationMultiplier: pointer(2, quantity, "What the count is multiplied by."),
  },
);

export const Device = message("Device", "One device, chosen by its attributes.", {
  name: required(1, string, "A DNS label, unique in the pool."),
  attributes: optional(2, map(DeviceAttribute), "What it is like, by name, with or without a domain."),
  capacity: optional(3, map(DeviceCapacity), "How much of what it has, by name, with or without a domain."),
  consumesCounters: optional(
    4,
    list(DeviceCounterConsumption),
    "What it takes of shared amounts, of 2 sets at most.",
  ),
  nodeName: pointer(5, string, "The node it is at, where each device says so."),
  nodeSelector: pointer(6, NodeSelector, "The nodes it is at, where each device says so."),
  allNodes: pointer(7, boolean, "Whether it is at all nodes, where each device says so."),
  taints: optional(8, list(DeviceTaint), "Its taints, 16 at most."),
  bindsToNode: pointer(9, boolean, "Whether an allocation ties the claim to the node that was chosen."),
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
  allowMultipleAllocations: pointer(12, boolean, "Whether several claims may share it."),
  nodeAllocatableResourceMappings: optional(
    13,
    map(NodeAllocatableResourceMapping),
    "What it takes of its node; not kept, as the feature DRANodeAllocatableResources is off.",
  ),
});
export type Device = Out<typeof Device>;
