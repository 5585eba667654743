import { type Service, services as serviceKind } from "../../api/core/service/schema.ts";
import { invalid, root } from "../../meta/field-error.ts";
import type { Draft } from "../../meta/schema.ts";
import { errors } from "../../meta/status.ts";
import { randomInt } from "../../util/random.ts";
import type { AdmissionServices } from "./admission-services.ts";

const nodePorts = { first: 30_000, last: 32_767 };

/** Gives a Service's ports their node ports; `ports` are those of other Services. */
export function allocatePorts(
  service: Draft<Service>,
  ports: ReadonlySet<number>,
  { env }: AdmissionServices,
): void {
  const { type, ports: declared = [], allocateLoadBalancerNodePorts } = service.spec;
  const wants = type === "NodePort" || (type === "LoadBalancer" && allocateLoadBalancerNodePorts !== false);
  const mine = new Map<number, number>();
  for (const [index, port] of declared.entries()) {
    if (!wants) {
      if (type === "ClusterIP") delete port.nodePort;
      continue;
    }
    const path = root.child("spec", "ports").index(index).child("nodePort");
    if (port.nodePort !== undefined && port.nodePort !== 0) {
      const problem = portProblem(port.nodePort, ports);
      if (problem === undefined) continue;
      throw errors.invalid(serviceKind, service.metadata.name ?? "", [invalid(path, port.nodePort, problem)]);
    }
    // TCP and UDP of one port number share their node port.
    const free = mine.get(port.port) ?? freePort(ports, new Set(mine.values()), env.random);
    port.nodePort = free;
    mine.set(port.port, free);
  }
}

function portProblem(port: number, taken: ReadonlySet<number>): string | undefined {
  const { first, last } = nodePorts;
  if (port < first || port > last)
    return `provided port is not in the valid range. The range of valid ports is ${first}-${last}`;
  return taken.has(port) ? "provided port is already allocated" : undefined;
}

function freePort(
  taken: ReadonlySet<number>,
  mine: ReadonlySet<number>,
  random: AdmissionServices["env"]["random"],
): number {
  const count = nodePorts.last - nodePorts.first + 1;
  const offset = randomInt(random, count);
  for (let i = 0; i < count; i++) {
    const port = nodePorts.first + ((offset + i) % count);
    if (!taken.has(port) && !mine.has(port)) return port;
  }
  throw errors.internal(new Error("failed to allocate a nodePort: range is full"));
}
