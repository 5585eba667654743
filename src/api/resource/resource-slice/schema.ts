import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import {
  type Out,
  boolean,
  int64,
  list,
  messages,
  optional,
  pointer,
  required,
  string,
} from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";
import { NodeSelector } from "../../core/v1/scheduling.ts";
import { CounterSet, Device } from "../v1/device.ts";

const message = messages("io.k8s.api.resource.v1");

export const ResourcePool = message("ResourcePool", "The pool that a slice is part of.", {
  name: required(1, string, "DNS subdomains with slashes between them; often the node's name."),
  generation: required(
    2,
    int64,
    "The generation of the pool, which increases with each change; only slices of the highest generation are used.",
  ),
  resourceSliceCount: required(3, int64, "The number of slices in the pool."),
});
export type ResourcePool = Out<typeof ResourcePool>;

export const ResourceSliceSpec = message("ResourceSliceSpec", "Devices that a driver offers.", {
  driver: required(1, string, "The driver, a DNS subdomain; immutable."),
  pool: required(2, ResourcePool, "The pool."),
  nodeName: pointer(3, string, "The node that has the devices; immutable."),
  nodeSelector: pointer(4, NodeSelector, "The nodes that have the devices, in one term."),
  allNodes: pointer(5, boolean, "Whether all nodes can access the devices."),
  devices: optional(6, list(Device), "The devices, 128 at most, or 64 where they have taints or counters."),
  perDeviceNodeSelection: pointer(7, boolean, "Whether each device selects its own nodes."),
  sharedCounters: optional(8, list(CounterSet), "Counters that devices share, at most 8; excludes devices."),
});
export type ResourceSliceSpec = Out<typeof ResourceSliceSpec>;

const ResourceSlice = message("ResourceSlice", "A part of a driver's pool of devices.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  spec: required(2, ResourceSliceSpec, "The devices."),
});

export const resourceSlices = defineKind(ResourceSlice, {
  group: "resource.k8s.io",
  version: "v1",
  kind: "ResourceSlice",
  plural: "resourceslices",
  namespaced: false,
});
export type ResourceSlice = ObjectOf<typeof resourceSlices>;
