import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import {
  type Out,
  int32,
  intOrString,
  list,
  messages,
  oneOf,
  optional,
  pointer,
  required,
  string,
} from "../../../meta/schema.ts";
import { LabelSelector, ObjectMeta } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.networking.v1");

export const NetworkPolicyPort = message("NetworkPolicyPort", "A port, or a range of them.", {
  protocol: pointer(1, oneOf("SCTP", "TCP", "UDP"), "The transport protocol.", { default: "TCP" }),
  port: pointer(2, intOrString, "The number, or the name of a Pod's port; all when absent."),
  endPort: pointer(3, int32, "The last port of a range that begins with `port`."),
});
export type NetworkPolicyPort = Out<typeof NetworkPolicyPort>;

export const IPBlock = message("IPBlock", "A subnet.", {
  cidr: required(1, string, "The subnet, such as `10.9.8.0/24`."),
  except: optional(2, list(string), "Excluded parts of the subnet."),
});
export type IPBlock = Out<typeof IPBlock>;

export const NetworkPolicyPeer = message("NetworkPolicyPeer", "A peer of a connection.", {
  podSelector: pointer(
    1,
    LabelSelector,
    "The label selector of Pods; in the policy's namespace without a namespaceSelector.",
  ),
  namespaceSelector: pointer(2, LabelSelector, "Selects the Pods' namespaces."),
  ipBlock: pointer(3, IPBlock, "A subnet; excludes the other two fields."),
});
export type NetworkPolicyPeer = Out<typeof NetworkPolicyPeer>;

export const NetworkPolicyIngressRule = message("NetworkPolicyIngressRule", "Allowed incoming connections.", {
  ports: optional(1, list(NetworkPolicyPort), "The allowed ports of the selected Pods; all when empty."),
  from: optional(2, list(NetworkPolicyPeer), "The allowed sources; all when empty."),
});
export type NetworkPolicyIngressRule = Out<typeof NetworkPolicyIngressRule>;

export const NetworkPolicyEgressRule = message("NetworkPolicyEgressRule", "Allowed outgoing connections.", {
  ports: optional(1, list(NetworkPolicyPort), "The allowed destination ports; all when empty."),
  to: optional(2, list(NetworkPolicyPeer), "The allowed destinations; all when empty."),
});
export type NetworkPolicyEgressRule = Out<typeof NetworkPolicyEgressRule>;

export const NetworkPolicySpec = message(
  "NetworkPolicySpec",
  "The connections that a NetworkPolicy allows.",
  {
    podSelector: required(
      1,
      LabelSelector,
      "The label selector of the policy's Pods; an empty selector matches all.",
    ),
    ingress: optional(2, list(NetworkPolicyIngressRule), "Allowed incoming connections."),
    egress: optional(3, list(NetworkPolicyEgressRule), "Allowed outgoing connections."),
    policyTypes: optional(
      4,
      list(oneOf("Egress", "Ingress")),
      "The directions that the policy restricts: Ingress, Egress or both.",
    ),
  },
);
export type NetworkPolicySpec = Out<typeof NetworkPolicySpec>;

export const NetworkPolicy = message("NetworkPolicy", "The allowed connections of the selected Pods.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  spec: optional(2, NetworkPolicySpec, "The desired state."),
});

export const networkPolicies = defineKind(NetworkPolicy, {
  group: "networking.k8s.io",
  version: "v1",
  kind: "NetworkPolicy",
  plural: "networkpolicies",
  namespaced: true,
  shortNames: ["netpol"],
});
export type NetworkPolicy = ObjectOf<typeof networkPolicies>;
