import type { PluginArguments, ResourceSpec } from "../configuration/arguments.ts";
import { maxScore, type Plugin } from "../framework.ts";
import type { NodeInfo } from "../node-info.ts";
import { podRequest, Resources } from "../resources.ts";

const nothing = new Resources();

const cpuAndMemory: readonly ResourceSpec[] = [{ name: "cpu" }, { name: "memory" }];

/** Prefers nodes whose use of the resources the Pod makes more even (scheduler `balanced_allocation.go`). */
export function balancedAllocation({
  resources = [],
}: NonNullable<PluginArguments["NodeResourcesBalancedAllocation"]> = {}): Plugin {
  const names = (resources.length === 0 ? cpuAndMemory : resources).map(({ name = "" }) => name);
  return {
    name: "NodeResourcesBalancedAllocation",
    preScore(pod) {
      const request = podRequest(pod);
      // A Pod without requests does not change the balance.
      if (names.every((name) => request.get(name) === 0)) return undefined;
      const counted = names.filter((name) => name === "cpu" || name === "memory" || request.get(name) > 0);
      return {
        score(node) {
          const gain = evenness(node, request, counted) - evenness(node, nothing, counted);
          return maxScore / 2 + Math.floor((maxScore / 2 + gain) / 2);
        },
      };
    },
  };
}

/**
 * The evenness: 100 when all resources would be used to the same degree; 50 when of two one is full and the other empty.
 * The measure is the standard deviation of the degrees.
 */
function evenness({ requested, allocatable }: NodeInfo, more: Resources, names: readonly string[]): number {
  const degrees = names
    .filter((name) => allocatable.get(name) > 0)
    .map((name) => Math.min((requested.get(name) + more.get(name)) / allocatable.get(name), 1));
  return Math.floor((1 - deviation(degrees)) * maxScore);
}

function deviation(values: readonly number[]): number {
  const [a = 0, b = 0] = values;
  if (values.length < 2) return 0;
  if (values.length === 2) return Math.abs(a - b) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
}
