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
  protocol: pointer(1, oneOf("SCTP", "TCP", "UDP"), "The transport.", { default: "TCP" }),
  port: pointer(2, intOrString, "The number, or the name of a Pod's port; all when absent."),
  endPort: pointer(3, int32, "The last port of a range that begins with `port`."),
});
export type NetworkPolicyPort = Out<typeof NetworkPolicyPort>;

export const IPBlock = message("IPBlock", "A subnet.", {
  cidr: required(1, string, "The subnet, such as `10.9.8.0/24`."),
  except: optional(2, list(string), "Parts of it that are left out."),
});
export type IPBlock = Out<typeof IPBlock>;

export const NetworkPolicyPeer = message("NetworkPolicyPeer", "The other end of a connection.", {
  podSelector: pointer(1, LabelSelector, "Selects Pods; of the same namespace when no others are selected."),
  namespaceSelector: pointer(2, LabelSelector, "Selects the Pods' namespaces."),
  ipBlock: pointer(3, IPBlock, "A subnet; it excludes the other two."),
});
export type NetworkPolicyPeer = Out<typeof NetworkPolicyPeer>;

export const NetworkPolicyIngressRule = message("NetworkPolicyIngressRule", "Connections that may come in.", {
  ports: optional(1, list(NetworkPolicyPort), "On these ports; all when empty."),
  from: optional(2, list(NetworkPolicyPeer), "From these peers; all when empty."),
});
export type NetworkPolicyIngressRule = Out<typeof NetworkPolicyIngressRule>;

export const NetworkPolicyEgressRule = message("NetworkPolicyEgressRule", "Connections that may go out.", {
  ports: optional(1, list(NetworkPolicyPort), "To these ports; all when empty."),
  to: optional(2, list(NetworkPolicyPeer), "To these peers; all when empty."),
});
export type NetworkPolicyEgressRule = Out<typeof NetworkPolicyEgressRule>;

export const NetworkPolicySpec = message("NetworkPolicySpec", "What a NetworkPolicy allows.", {
  podSelector: required(1, LabelSelector, "The Pods that it is about; an empty one selects all."),
  ingress: optional(2, list(NetworkPolicyIngressRule), "Connections that may come in."),
  egress: optional(3, list(NetworkPolicyEgressRule), "Connections that may go out."),
  policyTypes: optional(
    4,
    list(oneOf("Egress", "Ingress")),
    "The directions that it is about: what is not allowed in them is forbidden.",
  ),
});
export type NetworkPolicySpec = Out<typeof NetworkPolicySpec>;

export const NetworkPolicy = message("NetworkPolicy", "Which connections Pods may have.", {
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
