import type { Pod } from "../api/core/pod/schema.ts";
import type { PostFilterContext, Preemption } from "./framework.ts";

/**
 * Asks the PostFilter plugins, one after the other, until one makes room for the Pod. Without room, `why` has the reasons
 * of all of them; empty without reasons.
 */
export async function runPostFilter(pod: Pod, context: PostFilterContext): Promise<Preemption> {
  const reasons: string[] = [];
  let isUnderWay = false;
  for (const { plugin } of context.plugins) {
    if (plugin.postFilter === undefined) continue;
    const asked = plugin.postFilter(pod, context);
    // The snapshot does not change between the attempt and the answer of a plugin that needs no extender.
    const preemption = asked instanceof Promise ? await asked : asked;
    if (preemption.type === "preempt") return preemption;
    reasons.push(preemption.why);
    isUnderWay ||= preemption.isUnderWay;
  }
  return { type: "none", why: reasons.join(", "), isUnderWay };
}
