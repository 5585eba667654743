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

export const DeviceClassConfiguration = message("DeviceClassConfiguration", "What a class sets up.", {
  deviceConfiguration: inline(1, DeviceConfiguration, "How."),
});

export const DeviceClassSpec = message("DeviceClassSpec", "Which devices belong to a class.", {
  selectors: optional(1, list(DeviceSelector), "What a device must fulfil: all of these."),
  config: optional(2, list(DeviceClassConfiguration), "What is handed to the drivers of claimed devices."),
  extendedResourceName: pointer(
    4,
    string,
    "The name under which containers may ask for devices as a resource.",
  ),
});
export type DeviceClassSpec = Out<typeof DeviceClassSpec>;

const DeviceClass = message("DeviceClass", "A kind of device that claims can name.", {
  metadata: optional(1, ObjectMeta, "Standard metadata."),
  spec: required(2, DeviceClassSpec, "Which devices these are."),
});

export const deviceClasses = defineKind(DeviceClass, {
  group: "resource.k8s.io",
  version: "v1",
  kind: "DeviceClass",
  plural: "deviceclasses",
  namespaced: false,
});
export type DeviceClass = ObjectOf<typeof deviceClasses>;
