import type { ApiRequest } from "../../meta/exchange.ts";
import type { Steps } from "../../util/steps.ts";
import { yieldToSockets } from "../../util/yield.ts";

/** In bytes. Less is dealt with in a few milliseconds from end to end. */
const largeBytes = 64 * 1024;
const large = new WeakSet<ApiRequest>();

/** Notes how much a request brings, or changes. */
export function noteSize(request: ApiRequest, bytes: number): void {
  if (bytes > largeBytes) large.add(request);
}

/** Lets sockets have a turn between two steps of a large request: each step alone is bounded, all together are not. */
export function pause({ request }: { readonly request: ApiRequest }): Promise<void> | undefined {
  return large.has(request) ? yieldToSockets() : undefined;
}

/** Does work with a pause after each of its steps. */
export async function inSteps<T>(context: { readonly request: ApiRequest }, steps: Steps<T>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    const paused = pause(context);
    if (paused !== undefined) await paused;
  }
}
