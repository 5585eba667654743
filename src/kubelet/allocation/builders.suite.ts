import { nodes } from "../../api/core/node/schema.ts";
import { type Pod, pods } from "../../api/core/pod/schema.ts";
import { decode } from "../../meta/decode.ts";
import { VirtualClock } from "../../util/virtual-clock.ts";
import { silentLogger } from "../../util/logger.ts";
import { Allocations, type AllocationsOptions } from "./allocations.ts";
import type { NodeFacts } from "./filter.ts";

export type Amounts = Readonly<Record<string, string>>;

/** Returns a Pod with one container `a`. */
export function aPod(name: string, requests: Amounts, more: { spec?: object; metadata?: object } = {}): Pod {
  const fields = {
    metadata: { name, namespace: "ns", uid: name, generation: 1, ...more.metadata },
    spec: { containers: [{ name: "a", resources: { requests } }], ...more.spec },
  };
  return { apiVersion: "v1", kind: "Pod", ...decode(pods.schema, fields) };
}

export function someFacts(allocatable: Amounts, node: object = {}): NodeFacts {
  const decoded = decode(nodes.schema, { metadata: { name: "n" }, ...node });
  return {
    node: { apiVersion: "v1", kind: "Node", ...decoded },
    allocatable,
    obeysGroupsPolicy: true,
  };
}

/** Opens allocations whose Events and preempted Pods are noted in `seen`. */
export function openAllocations(more: Partial<AllocationsOptions> = {}) {
  const clock = new VirtualClock();
  const seen: string[] = [];
  const allocations = new Allocations({
    env: { clock, log: silentLogger },
    events: { event: (_, type, reason, message) => void seen.push(`${type} ${reason} ${message}`) },
    facts: () => someFacts({ cpu: "4", memory: "4Gi", pods: "3" }),
    preempt: (pod) => void seen.push(`preempt ${pod.metadata.name}`),
    ...more,
  });
  return { allocations, seen, clock };
}
