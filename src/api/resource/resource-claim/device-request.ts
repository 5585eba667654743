import {
  type Out,
  boolean,
  inline,
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
} from "../../../meta/schema.ts";
import { DeviceConfiguration } from "../v1/device-configuration.ts";

const message = messages("io.k8s.api.resource.v1");

export const CELDeviceSelector = message("CELDeviceSelector", "A CEL expression about one device.", {
  expression: required(1, string, "CEL that selects a `device`, of at most 10 KiB."),
});
export type CELDeviceSelector = Out<typeof CELDeviceSelector>;

export const DeviceSelector = message("DeviceSelector", "A condition for a device.", {
  cel: pointer(1, CELDeviceSelector, "An expression in CEL."),
});
export type DeviceSelector = Out<typeof DeviceSelector>;

export const DeviceToleration = message("DeviceToleration", "A tolerated taint of devices.", {
  key: optional(1, string, "The taint's key; empty for any, then with the operator `Exists`."),
  operator: optional(2, oneOf("Equal", "Exists"), "The relation between the taint's value and `value`.", {
    default: "Equal",
  }),
  value: optional(3, string, "The taint's value."),
  effect: optional(4, oneOf("NoExecute", "NoSchedule", "None"), "The taint's effect; empty for any."),
  tolerationSeconds: pointer(
    5,
    int64,
    "The number of seconds for which the effect `NoExecute` is tolerated; forever when absent.",
  ),
});
export type DeviceToleration = Out<typeof DeviceToleration>;

export const CapacityRequirements = message("CapacityRequirements", "The required capacity of a device.", {
  requests: optional(1, map(quantity), "The amounts, by name of capacity."),
});

const allocationModes = oneOf("All", "ExactCount");

/** The fields that both forms of a request have. Their protobuf numbers differ. */
const docs = {
  deviceClassName: "The DeviceClass.",
  selectors: "Selectors that a device must match in addition, all of them.",
  allocationMode: "Whether an exact number of devices or all matching devices are requested.",
  count: "The number of devices; only for ExactCount.",
  tolerations: "The tolerated taints of devices.",
  capacity: "The required capacity of each device.",
} as const;

export const ExactDeviceRequest = message("ExactDeviceRequest", "A request for one kind of device.", {
  deviceClassName: required(1, string, docs.deviceClassName),
  selectors: optional(2, list(DeviceSelector), docs.selectors),
  allocationMode: optional(3, allocationModes, docs.allocationMode, { default: "ExactCount" }),
  count: optional(4, int64, docs.count),
  adminAccess: pointer(
    5,
    boolean,
    "Whether devices are requested for administrative access, which ignores other allocations.",
  ),
  tolerations: optional(6, list(DeviceToleration), docs.tolerations),
  capacity: pointer(7, CapacityRequirements, docs.capacity),
});
export type ExactDeviceRequest = Out<typeof ExactDeviceRequest>;

export const DeviceSubRequest = message("DeviceSubRequest", "One alternative of a request.", {
  name: required(1, string, "The name, a DNS label; references use `request/subrequest`."),
  deviceClassName: required(2, string, docs.deviceClassName),
  selectors: optional(3, list(DeviceSelector), docs.selectors),
  allocationMode: optional(4, allocationModes, docs.allocationMode, { default: "ExactCount" }),
  count: optional(5, int64, docs.count),
  tolerations: optional(6, list(DeviceToleration), docs.tolerations),
  capacity: pointer(7, CapacityRequirements, docs.capacity),
});
export type DeviceSubRequest = Out<typeof DeviceSubRequest>;

export const DeviceRequest = message("DeviceRequest", "A request for devices.", {
  name: required(1, string, "The name, a DNS label; the claim and Pods refer to it."),
  exactly: pointer(2, ExactDeviceRequest, "The request for one kind of device."),
  firstAvailable: optional(3, list(DeviceSubRequest), "Alternatives in order of preference."),
});
export type DeviceRequest = Out<typeof DeviceRequest>;

const requestNames = "The requests, as `request` or `request/subrequest`; all when empty.";

export const DeviceConstraint = message("DeviceConstraint", "A constraint on several devices together.", {
  requests: optional(1, list(string), requestNames),
  matchAttribute: pointer(2, string, "The attribute, with its domain, that must be the same in all."),
  distinctAttribute: pointer(3, string, "The attribute, with its domain, that must differ in all."),
});
export type DeviceConstraint = Out<typeof DeviceConstraint>;

export const DeviceClaimConfiguration = message(
  "DeviceClaimConfiguration",
  "The configuration of requested devices.",
  {
    requests: optional(1, list(string), requestNames),
    deviceConfiguration: inline(2, DeviceConfiguration, "The configuration."),
  },
);
export type DeviceClaimConfiguration = Out<typeof DeviceClaimConfiguration>;

export const DeviceClaim = message("DeviceClaim", "The requested devices.", {
  requests: required(1, list(DeviceRequest), "The requests, all of which must be satisfied."),
  constraints: optional(2, list(DeviceConstraint), "The constraints on several devices together."),
  config: optional(3, list(DeviceClaimConfiguration), "Configuration for the drivers."),
});
export type DeviceClaim = Out<typeof DeviceClaim>;
