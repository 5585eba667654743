/**
 * The operations of a Pod worker on one subject, as a pure state machine. The runtime's list shows if a
 * container runs or has exited. This machine holds what the list cannot show: the calls in progress, the last
 * failure and the back-offs.
 *
 * Invariants:
 * 1. At most one start and one stop of a subject are in progress.
 * 2. A start begins only in `idle`, so never during a stop. A stop may begin during a start.
 * 3. A failure stays until a start succeeds. A changed Pod drops the failures of its configuration.
 * 4. Each failure in a row doubles the delay before the next start, up to a limit; each restart does the
 * same. A failure of the configuration keeps the first delay: the object that it lacks may come at any time.
 * 5. An event that does not fit the state changes nothing.
 */
export interface Work {
  readonly state: WorkState;
  /** Grows with each restart of a container; counted from the container's exit. */
  readonly restarts?: Backoff | undefined;
  readonly trouble?: Trouble | undefined;
}

export type WorkState =
  /** No call is in progress. */
  | "idle"
  /** A start is in progress, or another call that must not run twice. */
  | "starting"
  | "stopping"
  /** A stop began during a start; neither has ended. */
  | "aborting";

/** The subjects of a Pod worker. A container's start and stop use its name, other calls use an ID. */
export type Subject =
  | "sandbox"
  | "volumes"
  | "resize"
  | "deletion"
  | `container/${string}`
  | `sandbox/${string}`
  | `remains/${string}`;

/** A failed start, and the back-off before the next one. */
export interface Trouble {
  readonly failure: Failure;
  readonly retry: Backoff;
}

/** The reason and message of a failed call, as a container's waiting state shows them. */
export interface Failure {
  readonly reason: string;
  readonly message: string;
}

/** The delay before a next start, and the time that it counts from. Both in milliseconds. */
export interface Backoff {
  readonly delayMs: number;
  readonly since: number;
}

/** Times are in milliseconds since the epoch. */
export type WorkEvent =
  /** `mostMs` is the greatest delay before a restart. */
  | { readonly type: "start"; readonly isRestart: boolean; readonly now: number; readonly mostMs?: number }
  | { readonly type: "started" }
  | { readonly type: "failed"; readonly failure: Failure; readonly now: number }
  | { readonly type: "stop" }
  | { readonly type: "stopped" }
  /** The Pod's spec, labels or annotations have changed. */
  | { readonly type: "changed" };

/** The initial state of a subject. */
export const untouched: Work = { state: "idle" };

/** Returns the next state; the same object if the event changes nothing. */
export function stepWork(work: Work, event: WorkEvent): Work {
  const state = table[work.state][event.type];
  if (state === work.state && event.type !== "changed") return work;
  const next = { ...remember(work, event), state };
  return state === "idle" && next.restarts === undefined && next.trouble === undefined ? untouched : next;
}

const table: Readonly<Record<WorkState, Readonly<Record<WorkEvent["type"], WorkState>>>> = {
  idle: {
    start: "starting",
    started: "idle",
    failed: "idle",
    stop: "stopping",
    stopped: "idle",
    changed: "idle",
  },
  starting: {
    start: "starting",
    started: "idle",
    failed: "idle",
    stop: "aborting",
    stopped: "starting",
    changed: "starting",
  },
  stopping: {
    start: "stopping",
    started: "stopping",
    failed: "stopping",
    stop: "stopping",
    stopped: "idle",
    changed: "stopping",
  },
  aborting: {
    start: "aborting",
    started: "stopping",
    failed: "stopping",
    stop: "aborting",
    stopped: "starting",
    changed: "aborting",
  },
};

function remember(work: Work, event: WorkEvent): Work {
  switch (event.type) {
    case "start":
      return event.isRestart ? { ...work, restarts: grow(work.restarts, event.now, event.mostMs) } : work;
    case "started":
      return { ...work, trouble: undefined };
    case "failed": {
      const failure = repeated(work.trouble?.failure, event.failure);
      const isConfiguration = failure.reason === "CreateContainerConfigError";
      const retry = grow(isConfiguration ? undefined : work.trouble?.retry, event.now);
      return { ...work, trouble: { failure, retry } };
    }
    case "changed":
      return work.trouble?.failure.reason === "CreateContainerConfigError"
        ? { ...work, trouble: undefined }
        : work;
    case "stop":
    case "stopped":
      return work;
  }
}

/** A repeated failure to pull is reported as back-off (kubelet `images`). */
function repeated(before: Failure | undefined, failure: Failure): Failure {
  const isPull = ["ErrImagePull", "InvalidImageName", "ErrImageNeverPull"].includes(failure.reason);
  return isPull && (before?.reason === "ErrImagePull" || before?.reason === "ImagePullBackOff")
    ? { reason: "ImagePullBackOff", message: `Back-off pulling image: ${failure.message}` }
    : failure;
}

/**
 * Upstream's delays for crashing containers and failing pulls: 10 s, doubled up to 5 min (kubelet
 * `MaxCrashLoopBackOff`).
 */
const firstMs = 10_000;
const maxMs = 300_000;
/** After this time without a failure or restart, the back-off starts from the first delay. */
const forgetAfterMs = 2 * maxMs;

function grow(known: Backoff | undefined, now: number, mostMs = maxMs): Backoff {
  return known === undefined || isForgotten(known, now)
    ? { delayMs: Math.min(firstMs, mostMs), since: now }
    : { delayMs: Math.min(known.delayMs * 2, mostMs), since: now };
}

/** Reports whether a back-off is so old that the next one starts from the first delay. */
export function isForgotten({ since }: Backoff, now: number): boolean {
  return now - since > forgetAfterMs;
}
