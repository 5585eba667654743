import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import {
  type Out,
  inline,
  list,
  messages,
  optional,
  pointer,
  required,
  string,
} from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";
import { DeviceConfiguration } from "../v1/device-configuration.ts";
import { DeviceSelector } from "../resource-claim/device-request.ts";

const message = messages("io.k8s.api.resource.v1");

export const DeviceClassConfiguration = message(
  "DeviceClassConfiguration",
  "A configuration of devices of a class.",
  {
    deviceConfiguration: inline(1, DeviceConfiguration, "The configuration."),
  },
);

export const DeviceClassSpec = message("DeviceClassSpec", "The selection of a class's devices.", {
  selectors: optional(1, list(DeviceSelector), "Selectors that a device must match, all of them."),
  config: optional(2, list(DeviceClassConfiguration), "Configuration for the drivers of claimed devices."),
  extendedResourceName: pointer(4, string, "The extended resource by which containers can request devices."),
});
export type DeviceClassSpec = Out<typeof DeviceClassSpec>;

const DeviceClass = message("DeviceClass", "A class of devices that claims refer to.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  spec: required(2, DeviceClassSpec, "The selection and configuration of the devices."),
});

export const deviceClasses = defineKind(DeviceClass, {
  group: "resource.k8s.io",
  version: "v1",
  kind: "DeviceClass",
  plural: "deviceclasses",
  namespaced: false,
});
export type DeviceClass = ObjectOf<typeof deviceClasses>;
