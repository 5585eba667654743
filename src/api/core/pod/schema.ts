import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import { messages, optional } from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";
import { PodSpec } from "./spec.ts";
import { PodStatus } from "./status.ts";

const message = messages("io.k8s.api.core.v1");

export const Pod = message("Pod", "Containers that share a node, an IP address and volumes.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  spec: optional(2, PodSpec, "The desired state."),
  status: optional(3, PodStatus, "The observed state."),
});

export const pods = defineKind(Pod, {
  group: "",
  version: "v1",
  kind: "Pod",
  plural: "pods",
  namespaced: true,
  shortNames: ["po"],
  categories: ["all"],
  status: true,
  subresources: {
    attach: { kind: { group: "", version: "v1", kind: "PodAttachOptions" }, verbs: ["create", "get"] },
    binding: { kind: { group: "", version: "v1", kind: "Binding" }, verbs: ["create"] },
    ephemeralcontainers: {
      kind: { group: "", version: "v1", kind: "Pod" },
      verbs: ["get", "patch", "update"],
    },
    eviction: { kind: { group: "policy", version: "v1", kind: "Eviction" }, verbs: ["create"] },
    exec: { kind: { group: "", version: "v1", kind: "PodExecOptions" }, verbs: ["create", "get"] },
    log: { kind: { group: "", version: "v1", kind: "Pod" }, verbs: ["get"] },
    portforward: {
      kind: { group: "", version: "v1", kind: "PodPortForwardOptions" },
      verbs: ["create", "get"],
    },
    proxy: {
      kind: { group: "", version: "v1", kind: "PodProxyOptions" },
      verbs: ["create", "delete", "get", "patch", "update"],
    },
    resize: { kind: { group: "", version: "v1", kind: "Pod" }, verbs: ["get", "patch", "update"] },
  },
});
export type Pod = ObjectOf<typeof pods>;
