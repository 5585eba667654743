import type { Draft } from "../../../meta/schema.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import { externallyAccessible } from "./defaults.ts";
import type { Service, ServiceSpec } from "./schema.ts";

/** What an update carries over, and what a change of type sheds: KEP-563's rules for linked fields. */

type Spec = Draft<ServiceSpec>;

const needsClusterIp = ({ type }: ServiceSpec) => type !== "ExternalName";
const needsNodePort = ({ type }: ServiceSpec) => type === "NodePort" || type === "LoadBalancer";

/** Whether load balancers check each node's health on a port of its own. */
export const needsHealthCheck = ({ type, externalTrafficPolicy }: ServiceSpec): boolean =>
  type === "LoadBalancer" && externalTrafficPolicy === "Local";

export const isHeadless = ({ clusterIPs = [] }: ServiceSpec): boolean =>
  clusterIPs.length === 1 && clusterIPs[0] === "None";

/** Clients that know only `clusterIP` mean `clusterIPs` as well. */
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

/** What was allocated stays, also when the client does not send it back. */
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

/** By the port's name, unless another port has claimed the number. */
function keepNodePorts(spec: Spec, old: ServiceSpec): void {
  const claimed = new Set((spec.ports ?? []).map(({ nodePort }) => nodePort));
  const ports = new Map(old.ports?.toReversed().map((port) => [port.name, port]));
  for (const port of spec.ports ?? []) {
    const before = ports.get(port.name)?.nodePort;
    if (before !== undefined && !claimed.has(before)) port.nodePort ??= before;
  }
}

/** What only the old type had vanishes, unless the client has changed it on purpose. */
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
