import type { Draft } from "../../../meta/schema.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import { externallyAccessible } from "./defaults.ts";
import type { Service, ServiceSpec } from "./schema.ts";

/**
 * Carries allocated values over to updates and drops them when the type changes: KEP-563's rules for linked
 * fields.
 */

type Spec = Draft<ServiceSpec>;

const needsClusterIp = ({ type }: ServiceSpec) => type !== "ExternalName";
const needsNodePort = ({ type }: ServiceSpec) => type === "NodePort" || type === "LoadBalancer";

/** Reports whether load balancers check the node's health on a separate port. */
export const needsHealthCheck = ({ type, externalTrafficPolicy }: ServiceSpec): boolean =>
  type === "LoadBalancer" && externalTrafficPolicy === "Local";

export const isHeadless = ({ clusterIPs = [] }: ServiceSpec): boolean =>
  clusterIPs.length === 1 && clusterIPs[0] === "None";

/** Copies `clusterIP` to `clusterIPs`, for clients that only know `clusterIP`. */
export function normalizeClusterIps(spec: Spec, old: ServiceSpec | undefined): void {
  if (old === undefined) {
    if (spec.clusterIP !== undefined) spec.clusterIPs ??= [spec.clusterIP];
    return;
  }
  if (spec.clusterIP === old.clusterIP) {
    if (old.clusterIPs !== undefined) spec.clusterIPs ??= [...old.clusterIPs];
  } else if (deepEqual(spec.clusterIPs, old.clusterIPs)) {
    if (spec.clusterIP === undefined) delete spec.clusterIPs;
    else spec.clusterIPs = [spec.clusterIP];
  }
}

/** Keeps allocated values that the client does not send. */
export function keepAllocated(spec: Spec, old: ServiceSpec): void {
  if (needsClusterIp(old) && needsClusterIp(spec)) {
    if (old.clusterIP !== undefined) spec.clusterIP ??= old.clusterIP;
    if (old.clusterIPs !== undefined) spec.clusterIPs ??= [...old.clusterIPs];
  }
  if (needsNodePort(old) && needsNodePort(spec)) keepNodePorts(spec, old);
  if (needsHealthCheck(old) && needsHealthCheck(spec) && old.healthCheckNodePort !== undefined) {
    spec.healthCheckNodePort ??= old.healthCheckNodePort;
  }
}

/** Matches ports by name. Skips node ports that another port has set. */
function keepNodePorts(spec: Spec, old: ServiceSpec): void {
  const claimed = new Set((spec.ports ?? []).map(({ nodePort }) => nodePort));
  const ports = new Map(old.ports?.toReversed().map((port) => [port.name, port]));
  for (const port of spec.ports ?? []) {
    const before = ports.get(port.name)?.nodePort;
    if (before !== undefined && !claimed.has(before)) port.nodePort ??= before;
  }
}

/** Drops values that only the old type has, unless the client has changed them. */
export function dropTypeDependentFields({ spec, status }: Draft<Service>, { spec: old }: Service): void {
  const drop = (...names: readonly (keyof ServiceSpec)[]) => {
    for (const name of names) if (deepEqual(spec[name], old[name])) delete spec[name];
  };
  if (needsClusterIp(old) && !needsClusterIp(spec)) {
    if (spec.clusterIP === old.clusterIP) drop("clusterIPs", "clusterIP");
    drop("ipFamilies", "ipFamilyPolicy");
  }
  if (needsNodePort(old) && !needsNodePort(spec)) {
    const before = new Set((old.ports ?? []).map(({ nodePort }) => nodePort));
    const ports = spec.ports ?? [];
    const kept = ports.every(({ nodePort }) => nodePort === undefined || before.has(nodePort));
    if (kept) for (const port of ports) delete port.nodePort;
  }
  if (needsHealthCheck(old) && !needsHealthCheck(spec)) drop("healthCheckNodePort");
  if (old.type === "LoadBalancer" && spec.type !== "LoadBalancer") {
    drop("allocateLoadBalancerNodePorts", "loadBalancerClass");
  }
  if (externallyAccessible(old) && !externallyAccessible(spec)) drop("externalTrafficPolicy");
  if (spec.type !== "LoadBalancer") status.loadBalancer = {};
}
