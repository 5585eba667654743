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

export const CELDeviceSelector = message("CELDeviceSelector", "An expression about one device.", {
  expression: required(1, string, "CEL that says whether `device` is meant; of 10 KiB at most."),
});
export type CELDeviceSelector = Out<typeof CELDeviceSelector>;

export const DeviceSelector = message("DeviceSelector", "What a device must fulfil.", {
  cel: pointer(1, CELDeviceSelector, "An expression in CEL."),
});
export type DeviceSelector = Out<typeof DeviceSelector>;

export const DeviceToleration = message("DeviceToleration", "A taint of devices that is put up with.", {
  key: optional(1, string, "The taint's key; empty for any, then with the operator `Exists`."),
  operator: optional(2, oneOf("Equal", "Exists"), "How the value is compared.", { default: "Equal" }),
  value: optional(3, string, "The taint's value."),
  effect: optional(4, oneOf("NoExecute", "NoSchedule", "None"), "The taint's effect; empty for any."),
  tolerationSeconds: pointer(5, int64, "How long the effect `NoExecute` is tolerated; unset: for ever."),
});
export type DeviceToleration = Out<typeof DeviceToleration>;

export const CapacityRequirements = message("CapacityRequirements", "How much of a device is needed.", {
  requests: optional(1, map(quantity), "The amounts, by name of capacity."),
});

const allocationModes = oneOf("All", "ExactCount");

/** What both forms of a request have; the numbers of their fields differ. */
const docs = {
  deviceClassName: "The DeviceClass.",
  selectors: "What a device must fulfil besides: all of these.",
  allocationMode: "Whether so many devices are wanted, or all that there are.",
  count: "How many devices; only where a number is wanted.",
  tolerations: "Which taints devices may have.",
  capacity: "How much of each device is needed.",
} as const;

export const ExactDeviceRequest = message("ExactDeviceRequest", "Devices that must be just so.", {
  deviceClassName: required(1, string, docs.deviceClassName),
  selectors: optional(2, list(DeviceSelector), docs.selectors),
  allocationMode: optional(3, allocationModes, docs.allocationMode, { default: "ExactCount" }),
  count: optional(4, int64, docs.count),
  adminAccess: pointer(5, boolean, "Whether to look after the devices, also while others use them."),
  tolerations: optional(6, list(DeviceToleration), docs.tolerations),
  capacity: pointer(7, CapacityRequirements, docs.capacity),
});
export type ExactDeviceRequest = Out<typeof ExactDeviceRequest>;

export const DeviceSubRequest = message("DeviceSubRequest", "One of several devices that would do.", {
  name: required(1, string, "A DNS label; others say `request/subrequest`."),
  deviceClassName: required(2, string, docs.deviceClassName),
  selectors: optional(3, list(DeviceSelector), docs.selectors),
  allocationMode: optional(4, allocationModes, docs.allocationMode, { default: "ExactCount" }),
  count: optional(5, int64, docs.count),
  tolerations: optional(6, list(DeviceToleration), docs.tolerations),
  capacity: pointer(7, CapacityRequirements, docs.capacity),
});
export type DeviceSubRequest = Out<typeof DeviceSubRequest>;

export const DeviceRequest = message("DeviceRequest", "Devices that a claim asks for.", {
  name: required(1, string, "A DNS label, by which the rest of the claim and Pods refer to it."),
  exactly: pointer(2, ExactDeviceRequest, "Which devices."),
  firstAvailable: optional(3, list(DeviceSubRequest), "Alternatives, the best first."),
});
export type DeviceRequest = Out<typeof DeviceRequest>;

const requestNames = "The requests meant, as `request` or `request/subrequest`; none means all.";

export const DeviceConstraint = message("DeviceConstraint", "What devices must fulfil together.", {
  requests: optional(1, list(string), requestNames),
  matchAttribute: pointer(2, string, "The attribute, with its domain, that must be the same in all."),
  distinctAttribute: pointer(3, string, "The attribute, with its domain, that must differ in all."),
});
export type DeviceConstraint = Out<typeof DeviceConstraint>;

export const DeviceClaimConfiguration = message(
  "DeviceClaimConfiguration",
  "How requested devices are set up.",
  {
    requests: optional(1, list(string), requestNames),
    deviceConfiguration: inline(2, DeviceConfiguration, "How."),
  },
);
export type DeviceClaimConfiguration = Out<typeof DeviceClaimConfiguration>;

export const DeviceClaim = message("DeviceClaim", "The devices that are asked for.", {
  requests: required(1, list(DeviceRequest), "What is needed: all of these."),
  constraints: optional(2, list(DeviceConstraint), "What the devices must fulfil together."),
  config: optional(3, list(DeviceClaimConfiguration), "What is handed to the drivers."),
});
export type DeviceClaim = Out<typeof DeviceClaim>;
