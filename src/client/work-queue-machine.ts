/**
 * The life of one key in a work queue, as a pure state machine (client-go `util/workqueue`: `queue.go` and
 * `delaying_queue.go`).
 *
 * Invariants:
 * 1. A key is never with two workers: `next` takes a key only out of the line, and a held key is not in the line.
 * 2. An add during work is not lost: the key is dirty, and its `done` puts it back in line.
 * 3. A key is in the line at most once.
 * 4. A key has at most one delay. It ends at the earliest time asked for; an add outside the line ends it at once.
 * 5. After shut down no key is in the line or delayed, and `done` frees every held key.
 *
 * A rate-limited add is `addAfter` with the key's back-off. `forget` clears the back-off and is no event here.
 */
export type KeyState =
  /** Not known to the queue. */
  | "idle"
  | "delayed"
  /** Queued for a worker. */
  | "queued"
  /** Queued, and added again when the delay ends. */
  | "queuedDelayed"
  | HeldState;

/** The states of a key that a worker holds. */
export type HeldState =
  | "working"
  | "workingDelayed"
  /** Added during work. */
  | "dirty"
  | "dirtyDelayed";

export type KeyEvent = "add" | "addAfter" | "next" | "done" | "delayEnds" | "shutDown";

export type KeyAction =
  /** Put the key at the end of the line. */
  | "enqueue"
  /** Take the key out of the line. */
  | "dequeue"
  /** Start the delay, or move its end to the earlier of the two times. */
  | "delay"
  /** Cancel the delay, unless it has ended. */
  | "endDelay";

/**
 * Returns the next state, and the queue's actions in their order. Steps are constants, so an event allocates nothing.
 */
export interface KeyStep {
  readonly to: KeyState;
  readonly actions: readonly KeyAction[];
}

type Table = { readonly [S in KeyState]: { readonly [E in KeyEvent]: KeyStep } };

/** Returns the step that the event causes in the state. */
export function stepKey(state: KeyState, event: KeyEvent): KeyStep {
  return table[state][event];
}

function go(to: KeyState, ...actions: readonly KeyAction[]): KeyStep {
  return { to, actions };
}

const stay = {
  idle: go("idle"),
  delayed: go("delayed"),
  queued: go("queued"),
  queuedDelayed: go("queuedDelayed"),
  working: go("working"),
  workingDelayed: go("workingDelayed"),
  dirty: go("dirty"),
  dirtyDelayed: go("dirtyDelayed"),
} as const satisfies { readonly [S in KeyState]: KeyStep };

/** Ignores a `next`, `done` or `delayEnds` that cannot occur in a state. */
const table: Table = {
  idle: {
    add: go("queued", "enqueue"),
    addAfter: go("delayed", "delay"),
    next: stay.idle,
    done: stay.idle,
    delayEnds: stay.idle,
    shutDown: stay.idle,
  },
  delayed: {
    add: go("queued", "endDelay", "enqueue"),
    addAfter: go("delayed", "delay"),
    next: stay.delayed,
    done: stay.delayed,
    delayEnds: go("queued", "endDelay", "enqueue"),
    shutDown: go("idle", "endDelay"),
  },
  queued: {
    add: stay.queued,
    addAfter: go("queuedDelayed", "delay"),
    next: go("working", "dequeue"),
    done: stay.queued,
    delayEnds: stay.queued,
    shutDown: go("idle", "dequeue"),
  },
  queuedDelayed: {
    add: stay.queuedDelayed,
    addAfter: go("queuedDelayed", "delay"),
    next: go("workingDelayed", "dequeue"),
    done: stay.queuedDelayed,
    delayEnds: go("queued", "endDelay"),
    shutDown: go("idle", "dequeue", "endDelay"),
  },
  working: {
    add: go("dirty"),
    addAfter: go("workingDelayed", "delay"),
    next: stay.working,
    done: go("idle"),
    delayEnds: stay.working,
    shutDown: stay.working,
  },
  workingDelayed: {
    add: go("dirty", "endDelay"),
    addAfter: go("workingDelayed", "delay"),
    next: stay.workingDelayed,
    done: go("delayed"),
    delayEnds: go("dirty", "endDelay"),
    shutDown: go("working", "endDelay"),
  },
  dirty: {
    add: stay.dirty,
    addAfter: go("dirtyDelayed", "delay"),
    next: stay.dirty,
    done: go("queued", "enqueue"),
    delayEnds: stay.dirty,
    shutDown: go("working"),
  },
  dirtyDelayed: {
    add: go("dirty", "endDelay"),
    addAfter: go("dirtyDelayed", "delay"),
    next: stay.dirtyDelayed,
    done: go("queuedDelayed", "enqueue"),
    delayEnds: go("dirty", "endDelay"),
    shutDown: go("working", "endDelay"),
  },
};
