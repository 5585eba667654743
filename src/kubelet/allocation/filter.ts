import type { Node } from "../../api/core/node/schema.ts";
import { matchesNodeSelector, nodeSelectionOf } from "../../api/core/node-selection.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { toleratesAny } from "../../api/core/tolerations.ts";
import { parseQuantity, quantityMilliValue, quantityValue, type Quantity } from "../../meta/quantity.ts";
import { membersOf } from "../pod/roles.ts";
import { podRequests } from "../pod/resources.ts";
import { isStatic } from "./critical.ts";

/** The parts of a Node that admission depends on. */
export interface NodeFacts {
  readonly node: Node;
  readonly allocatable: Readonly<Record<string, string>>;
  readonly obeysGroupsPolicy: boolean;
}

/** A reason and message, as a Pod's status shows them. */
export interface Refusal {
  readonly reason: string;
  readonly message: string;
}

/** A reason why a Pod does not fit. */
export type Misfit =
  | {
      readonly type: "resource";
      readonly name: string;
      readonly requested: number;
      readonly used: number;
      readonly capacity: number;
    }
  | ({ readonly type: "rule" } & Refusal);

/** The reasons that no end of other Pods resolves (kubelet `lifecycle/predicate.go`). */
export function neverFits(pod: Pod, { obeysGroupsPolicy }: NodeFacts): Refusal | undefined {
  if ((pod.metadata.labels?.["kubernetes.io/os"] ?? "linux") !== "linux")
    return {
      reason: "PodOSSelectorNodeLabelDoesNotMatch",
      message: "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
    };
  if (pod.spec.os !== undefined && pod.spec.os.name !== "linux")
    return {
      reason: "PodOSNotSupported",
      message: "Failed to admit pod as the OS field doesn't match node OS",
    };
  if (pod.spec.securityContext?.supplementalGroupsPolicy === "Strict" && !obeysGroupsPolicy)
    return {
      reason: "SupplementalGroupsPolicyNotSupported",
      message: "SupplementalGroupsPolicy=Strict is not supported in this node",
    };
  return undefined;
}

/** Returns the reasons why the Pod does not fit beside the others, in upstream's order (`generalFilter`). */
export function misfits(pod: Pod, others: readonly Pod[], facts: NodeFacts): readonly Misfit[] {
  const { node } = facts;
  const rule = (reason: string, why: string): Misfit => ({
    type: "rule",
    reason,
    message: `Predicate ${reason} failed: ${why}`,
  });
  const found: Misfit[] = [...missing(pod, others, facts)];
  const selection = nodeSelectionOf(pod);
  if (selection !== undefined && !matchesNodeSelector(selection, node))
    found.push(rule("NodeAffinity", "node(s) didn't match Pod's node affinity/selector"));
  const wanted = hostPorts(pod);
  if (wanted.some((port) => others.some((other) => hostPorts(other).some((taken) => clash(port, taken)))))
    found.push(rule("NodePorts", "node(s) didn't have free ports for the requested pod ports"));
  const repels = (node.spec.taints ?? []).some(
    (taint) => taint.effect === "NoExecute" && !toleratesAny(pod.spec.tolerations, taint),
  );
  if (repels && !isStatic(pod))
    found.push(rule("TaintToleration", "node(s) had taints that the pod didn't tolerate"));
  return found;
}

function missing(pod: Pod, others: readonly Pod[], { allocatable }: NodeFacts): readonly Misfit[] {
  const found: Misfit[] = [];
  const check = (name: string, requested: number, used: number, capacity: number) => {
    if (requested > capacity - used) found.push({ type: "resource", name, requested, used, capacity });
  };
  const offered = new Map(Object.entries(allocatable));
  const pods = offered.get("pods");
  if (pods !== undefined) check("pods", 1, others.length, quantityValue(parseQuantity(pods)));
  const devices = new Set(
    pod.status.extendedResourceClaimStatus?.requestMappings.map(({ resourceName }) => resourceName),
  );
  for (const [name, requested] of requestOf(pod)) {
    const capacity = offered.get(name);
    if (requested <= 0 || (capacity === undefined && !isNative(name)) || devices.has(name)) continue;
    const used = others.reduce((sum, other) => sum + (requestOf(other).get(name) ?? 0), 0);
    check(name, requested, used, capacity === undefined ? 0 : amountOf(name, parseQuantity(capacity)));
  }
  return found;
}

function isNative(name: string): boolean {
  return ["cpu", "memory", "ephemeral-storage"].includes(name);
}

/** The requests by spec, because each admission adds up those of all Pods. */
const requests = new WeakMap<Pod["spec"], ReadonlyMap<string, number>>();

/** Returns the Pod's requests: CPU in thousandths, everything else in whole units. */
export function requestOf({ spec }: Pod): ReadonlyMap<string, number> {
  let known = requests.get(spec);
  if (known === undefined) {
    known = new Map([...podRequests(spec)].map(([name, amount]) => [name, amountOf(name, amount)]));
    requests.set(spec, known);
  }
  return known;
}

function amountOf(name: string, amount: Quantity): number {
  return name === "cpu" ? quantityMilliValue(amount) : quantityValue(amount);
}

interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

/** Init containers that end free their ports; sidecars keep them. */
function hostPorts(pod: Pod): readonly HostPort[] {
  return membersOf(pod)
    .filter(({ role }) => role === "main" || role === "sidecar")
    .flatMap(({ container }) => container.ports ?? [])
    .filter(({ hostPort = 0 }) => hostPort > 0)
    .map(({ hostIP = "", hostPort = 0, protocol = "TCP" }) => ({
      ip: hostIP === "" ? "0.0.0.0" : hostIP,
      protocol,
      port: hostPort,
    }));
}

function clash(a: HostPort, b: HostPort): boolean {
  const all = "0.0.0.0";
  return a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || a.ip === all || b.ip === all);
}

/** Returns a misfit as the status of a refused Pod shows it. */
export function refusalOf(misfit: Misfit): Refusal {
  if (misfit.type === "rule") return { reason: misfit.reason, message: misfit.message };
  const { name, requested, used, capacity } = misfit;
  return {
    reason: `OutOf${name}`,
    message: `Node didn't have enough resource: ${name}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
  };
}
