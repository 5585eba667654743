import type { Draft } from "../../../meta/schema.ts";
import type { Service, ServiceSpec } from "./schema.ts";

/** The default duration of the session affinity: three hours. */
const affinitySeconds = 10_800;

/** Reports whether the Service accepts traffic from outside of the cluster. */
export function externallyAccessible({ type, externalIPs = [] }: Draft<ServiceSpec> | ServiceSpec): boolean {
  if (type === "LoadBalancer" || type === "NodePort") return true;
  return type === "ClusterIP" && externalIPs.length > 0;
}

export function defaultService({ spec, status }: Draft<Service>): void {
  if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig;
  else if (spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: affinitySeconds } };
  }
  for (const port of spec.ports ?? []) {
    if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === "") {
      port.targetPort = port.port;
    }
  }
  if (externallyAccessible(spec)) spec.externalTrafficPolicy ??= "Cluster";
  if (spec.type !== "ExternalName") spec.internalTrafficPolicy ??= "Cluster";
  if (spec.type === "LoadBalancer") {
    spec.allocateLoadBalancerNodePorts ??= true;
    for (const entry of status.loadBalancer.ingress ?? []) if (entry.ip !== undefined) entry.ipMode ??= "VIP";
  }
}
