import type { Namespace } from "../../api/core/namespace/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import type {
  NetworkPolicy,
  NetworkPolicyPeer,
  NetworkPolicyPort,
} from "../../api/networking/network-policy/schema.ts";
import { selectorOf } from "../../meta/labels.ts";
import { contains, parseNetwork } from "../../util/ipv4.ts";
import type { Packet } from "./kernel.suite.ts";

/** A cluster's objects, as lists. */
export interface Objects {
  readonly namespaces: readonly Namespace[];
  readonly pods: readonly Pod[];
  readonly policies: readonly NetworkPolicy[];
}

/** Decides about a connection by looking at all objects, as the API describes NetworkPolicies. */
export function mayConnect(objects: Objects, packet: Packet): boolean {
  const [from, to] = [podAt(objects, packet.from), podAt(objects, packet.to)];
  if (packet.from === packet.to) return true;
  const leaves = from === undefined || !packet.fromPod || admitted("Egress", from, packet.to, to);
  return leaves && (to === undefined || !packet.toPod || admitted("Ingress", to, packet.from, from));

  function admitted(type: "Egress" | "Ingress", pod: Pod, address: string, peer: Pod | undefined): boolean {
    const policies = objects.policies.filter((policy) => restricts(policy, type) && selects(policy, pod));
    if (policies.length === 0) return true;
    const rules = policies.flatMap(({ metadata, spec: { ingress = [], egress = [] } }) => {
      const all =
        type === "Ingress"
          ? ingress.map(({ from: peers, ports }) => ({ peers, ports }))
          : egress.map(({ to: peers, ports }) => ({ peers, ports }));
      return all.map((rule) => ({ ...rule, namespace: metadata.namespace ?? "" }));
    });
    return rules.some(({ peers = [], ports = [], namespace }) => {
      const isPeer = (one: NetworkPolicyPeer) => matchesPeer(objects, one, namespace, address, peer);
      const isPort = (one: NetworkPolicyPort) => matchesPort(one, packet, to);
      return (peers.length === 0 || peers.some(isPeer)) && (ports.length === 0 || ports.some(isPort));
    });
  }
}

function podAt({ pods }: Objects, address: string): Pod | undefined {
  return pods.find(
    ({ spec, status }) =>
      status.podIP === address &&
      spec.hostNetwork !== true &&
      !["Succeeded", "Failed"].includes(status.phase ?? ""),
  );
}

function restricts(
  { spec: { policyTypes = [], egress = [] } }: NetworkPolicy,
  type: "Egress" | "Ingress",
): boolean {
  if (policyTypes.length > 0) return policyTypes.includes(type);
  return type === "Ingress" || egress.length > 0;
}

function selects({ metadata, spec }: NetworkPolicy, pod: Pod): boolean {
  return (
    metadata.namespace === pod.metadata.namespace && selectorOf(spec.podSelector).matches(pod.metadata.labels)
  );
}

function matchesPeer(
  { namespaces }: Objects,
  { ipBlock, podSelector, namespaceSelector }: NetworkPolicyPeer,
  own: string,
  address: string,
  pod: Pod | undefined,
): boolean {
  if (ipBlock !== undefined) {
    const excepted = (ipBlock.except ?? []).some((one) => contains(parseNetwork(one), address));
    return contains(parseNetwork(ipBlock.cidr), address) && !excepted;
  }
  if (pod === undefined) return false;
  const { namespace, labels } = pod.metadata;
  const found = namespaces.find(({ metadata }) => metadata.name === namespace);
  const inNamespace =
    namespaceSelector === undefined
      ? namespace === own
      : found !== undefined && selectorOf(namespaceSelector).matches(found.metadata.labels);
  return inNamespace && selectorOf(podSelector ?? {}).matches(labels);
}

function matchesPort(
  { protocol = "TCP", port, endPort }: NetworkPolicyPort,
  packet: Packet,
  to: Pod | undefined,
): boolean {
  if (protocol.toLowerCase() !== packet.protocol) return false;
  if (port === undefined) return true;
  if (typeof port === "number") return port <= packet.port && packet.port <= (endPort ?? port);
  const ports = to?.spec.containers.flatMap((container) => container.ports ?? []) ?? [];
  return ports.some(
    (one) => one.name === port && (one.protocol ?? "TCP") === protocol && one.containerPort === packet.port,
  );
}
