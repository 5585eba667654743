import type { Service } from "../service/schema.ts";
import { whole } from "./amounts.ts";
import type { Evaluator } from "./evaluator.ts";

const resources: readonly string[] = [
  "count/services",
  "services",
  "services.nodeports",
  "services.loadbalancers",
];

/** The rules of Services (upstream `quota/v1/evaluator/core/services.go`). */
export const serviceEvaluator: Evaluator<Service> = {
  uses: (name) => resources.includes(name),
  usage: ({ spec }) =>
    new Map([
      ["count/services", whole(1)],
      ["services", whole(1)],
      ["services.loadbalancers", whole(spec.type === "LoadBalancer" ? 1 : 0)],
      ["services.nodeports", whole(nodePorts(spec))],
    ]),
  isInScope: () => false,
  missing: () => undefined,
  charges: ({ subresource }) => subresource === "",
  replenishes: ({ spec }, old) => chargedType(spec) !== chargedType(old.spec),
};

/** The number of node ports that the Service has or will get. */
function nodePorts({ type, ports = [], allocateLoadBalancerNodePorts }: Service["spec"]): number {
  if (type === "NodePort") return ports.length;
  if (type !== "LoadBalancer") return 0;
  if (allocateLoadBalancerNodePorts !== false) return ports.length;
  return ports.filter(({ nodePort = 0 }) => nodePort !== 0).length;
}

function chargedType({ type }: Service["spec"]): string {
  return type === "NodePort" || type === "LoadBalancer" ? type : "";
}
