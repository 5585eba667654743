/** A pending timer. Cancelling twice, or after it fired, does nothing. */
export interface Timer {
  cancel(): void;
}

/**
 * The only source of time in Knarr. Production passes `systemClock`; tests and the simulator pass a virtual
 * clock, so that hours of cluster time pass in milliseconds.
 */
export interface Clock {
  /** Wall time in milliseconds since the Unix epoch; may jump. */
  now(): number;
  /** Milliseconds since an arbitrary start; never goes back. */
  monotonic(): number;
  /** Calls `fire` once, no sooner than `ms` milliseconds from now. */
  after(ms: number, fire: () => void): Timer;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, fire) {
    // Node clamps longer delays to 1 ms, which would turn "in a month" into a busy loop.
    const handle = setTimeout(fire, Math.min(ms, 2 ** 31 - 1));
    return { cancel: () => clearTimeout(handle) };
  },
};

/**
 * Resolves after `ms`, or at once when `signal` fires: callers check the signal, because it does not reject.
 */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      timer.cancel();
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = clock.after(ms, done);
    signal?.addEventListener("abort", done, { once: true });
  });
}

/** Calls `fire` every `ms` until the signal fires. The next period starts when the call has settled. */
export async function every(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  fire: () => unknown,
): Promise<void> {
  while (!signal.aborted) {
    await sleep(clock, ms, signal);
    if (!signal.aborted) await fire();
  }
}

/** The second that was formatted last, because most times are the present one. */
let last = { second: Number.NaN, text: "" };

/** Formats RFC 3339 in UTC with second precision: the wire form of Kubernetes' `Time`. */
export function formatTime(ms: number): string {
  const second = Math.floor(ms / 1000);
  if (second !== last.second) last = { second, text: `${new Date(ms).toISOString().slice(0, 19)}Z` };
  return last.text;
}

/** Formats RFC 3339 in UTC with exactly six fractional digits: the wire form of Kubernetes' `MicroTime`. */
export function formatMicroTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 23)}000Z`;
}
