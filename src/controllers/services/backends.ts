import type { Pod } from "../../api/core/pod/schema.ts";
import type { Service } from "../../api/core/service/schema.ts";
import { isTerminal } from "../pods/pod-state.ts";

export type Family = "IPv4" | "IPv6";
type ServicePort = NonNullable<Service["spec"]["ports"]>[number];

/** A Service's port, resolved on one Pod. */
export interface BackendPort {
  readonly name: string;
  readonly port: number;
  readonly protocol: NonNullable<ServicePort["protocol"]>;
  readonly appProtocol: string | undefined;
}

/** Returns the labels of the Service's Pods; undefined when users manage its endpoints. */
export function backendLabels({ spec }: Service): Readonly<Record<string, string>> | undefined {
  return spec.type === "ExternalName" ? undefined : spec.selector;
}

export function isHeadless({ spec }: Service): boolean {
  return spec.clusterIP === undefined || spec.clusterIP === "None";
}

export function familiesOf({ spec }: Service): readonly Family[] {
  if (spec.ipFamilies !== undefined && spec.ipFamilies.length > 0) return spec.ipFamilies;
  return [spec.clusterIP?.includes(":") === true ? "IPv6" : "IPv4"];
}

/** Returns the Pod's addresses of the family. */
export function addressesOf({ status }: Pod, family: Family): readonly string[] {
  const all = status.podIPs?.map(({ ip }) => ip) ?? (status.podIP === undefined ? [] : [status.podIP]);
  return all.filter((ip) => ip.includes(":") === (family === "IPv6"));
}

/** Reports whether the Pod is an endpoint: it has an address and has not terminated. */
export function hasEndpoint(
  pod: Pod,
  { includeTerminating }: { readonly includeTerminating: boolean },
): boolean {
  if (isTerminal(pod)) return false;
  if (pod.status.podIP === undefined && (pod.status.podIPs ?? []).length === 0) return false;
  return includeTerminating || pod.metadata.deletionTimestamp === undefined;
}

/** Returns the hostname of a Pod whose subdomain is the Service's name; undefined for any other Pod. */
export function hostnameIn(pod: Pod, service: Service): string | undefined {
  const { hostname, subdomain } = pod.spec;
  return subdomain === service.metadata.name ? hostname : undefined;
}

/** Returns the Service's ports on the Pod, without named target ports that the Pod does not have. */
export function portsOn(pod: Pod, { spec }: Service): readonly BackendPort[] {
  return (spec.ports ?? []).flatMap((servicePort) => {
    const port = resolve(pod, servicePort);
    if (port === undefined) return [];
    const { name = "", protocol = "TCP", appProtocol } = servicePort;
    return [{ name, port, protocol, appProtocol }];
  });
}

function resolve(
  { spec }: Pod,
  { port, targetPort = port, protocol = "TCP" }: ServicePort,
): number | undefined {
  if (typeof targetPort === "number") return targetPort;
  const sidecars = (spec.initContainers ?? []).filter((one) => one.restartPolicy === "Always");
  return [...spec.containers, ...sidecars]
    .flatMap(({ ports = [] }) => ports)
    .find((one) => one.name === targetPort && (one.protocol ?? "TCP") === protocol)?.containerPort;
}
