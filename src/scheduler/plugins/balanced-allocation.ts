import { maxScore, type Plugin } from "../framework.ts";
import type { NodeInfo } from "../node-info.ts";
import { podRequest, Resources } from "../resources.ts";

const nothing = new Resources();

/** Prefers nodes whose use of CPU and memory the Pod makes more even (scheduler `balanced_allocation.go`). */
export const balancedAllocation: Plugin = {
  name: "NodeResourcesBalancedAllocation",
  preScore(pod) {
    const request = podRequest(pod);
    // A Pod without requests does not change the balance.
    if (request.milliCpu === 0 && request.memory === 0) return undefined;
    return {
      score(node) {
        const gain = evenness(node, request) - evenness(node, nothing);
        return maxScore / 2 + Math.floor((maxScore / 2 + gain) / 2);
      },
    };
  },
};

/** The evenness: 100 when CPU and memory would be used to the same degree, 50 when one is full and the other empty. */
function evenness({ requested, allocatable }: NodeInfo, more: Resources): number {
  if (allocatable.milliCpu === 0 || allocatable.memory === 0) return maxScore;
  const cpu = Math.min((requested.milliCpu + more.milliCpu) / allocatable.milliCpu, 1);
  const memory = Math.min((requested.memory + more.memory) / allocatable.memory, 1);
  return Math.floor((1 - Math.abs(cpu - memory) / 2) * maxScore);
}
