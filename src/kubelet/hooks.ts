import type { Container } from "../api/core/pod/container.ts";
import type { Pod } from "../api/core/pod/schema.ts";
import type { LifecycleHandler } from "../api/core/pod/probe.ts";
import { sleep } from "../util/clock.ts";
import type { NodeContext } from "./node-context.ts";
import { execProbe, httpProbe, pretend } from "./probes/handlers.ts";

/**
 * Runs a lifecycle hook. Returns the reason of its failure, or undefined. A hook that takes longer than
 * `limitMs` fails.
 */
export async function runHook(
  node: NodeContext,
  pod: Pod,
  container: Container,
  id: string,
  hook: LifecycleHandler,
  limitMs = 120_000,
): Promise<string | undefined> {
  const asks = hook.exec !== undefined || hook.httpGet !== undefined;
  if (asks && node.runtime.check !== undefined) return pretend(node, id, hook, limitMs);
  if (hook.exec !== undefined) return execProbe(node, id, hook.exec.command ?? [], limitMs);
  if (hook.httpGet !== undefined)
    return (await httpProbe(node, pod, container, hook.httpGet, limitMs)).failure;
  if (hook.sleep !== undefined) await sleep(node.env.clock, Math.min(hook.sleep.seconds * 1000, limitMs));
  return undefined;
}
