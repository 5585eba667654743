import { type Out, messages, pointer, rawExtension, required, string } from "../../../meta/schema.ts";

const message = messages("io.k8s.api.resource.v1");

export const OpaqueDeviceConfiguration = message(
  "OpaqueDeviceConfiguration",
  "Parameters that one driver understands.",
  {
    driver: required(1, string, "Whose parameters they are: a DNS subdomain."),
    parameters: pointer(2, rawExtension, "Must be there: an object of any shape, of 10 KiB at most."),
  },
);
export type OpaqueDeviceConfiguration = Out<typeof OpaqueDeviceConfiguration>;

/** Stands inside messages of claims, classes and allocations. */
export const DeviceConfiguration = message("DeviceConfiguration", "How a device is set up.", {
  opaque: pointer(1, OpaqueDeviceConfiguration, "Parameters for the driver."),
});
export type DeviceConfiguration = Out<typeof DeviceConfiguration>;
