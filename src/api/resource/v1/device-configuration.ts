import { type Out, messages, pointer, rawExtension, required, string } from "../../../meta/schema.ts";

const message = messages("io.k8s.api.resource.v1");

export const OpaqueDeviceConfiguration = message(
  "OpaqueDeviceConfiguration",
  "Parameters that one driver understands.",
  {
    driver: required(1, string, "The driver: a DNS subdomain."),
    parameters: pointer(2, rawExtension, "The parameters: an object of any shape, of at most 10 KiB."),
  },
);
export type OpaqueDeviceConfiguration = Out<typeof OpaqueDeviceConfiguration>;

/** A part of messages of claims, classes and allocations. */
export const DeviceConfiguration = message("DeviceConfiguration", "The configuration of a device.", {
  opaque: pointer(1, OpaqueDeviceConfiguration, "Parameters for the driver."),
});
export type DeviceConfiguration = Out<typeof DeviceConfiguration>;
