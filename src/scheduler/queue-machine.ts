import type { Pod } from "../api/core/pod/schema.ts";

/**
 * The life of one Pod in the scheduling queue, as a pure state machine
 * (scheduler `backend/queue/scheduling_queue.go`).
 *
 * Invariants:
 * 1. A Pod is in exactly one state, and only `removed` or `withdrawn` makes it `absent`: no Pod is lost.
 * 2. Only an `active` Pod is taken, and it is not `active` again before its attempt has ended: no Pod is handed
 *    out twice at the same time.
 * 3. An update or a cluster event that arrives while a Pod is in flight counts when the attempt fails.
 * 4. A failed attempt never brings back a Pod that was removed or withdrawn. (A UID that has left does not return.)
 * 5. A Pod that waits always has a timer: `backingOff` and `unschedulable` are entered with `wait`.
 * 6. A Pod backs off after each failed attempt, unless the Pod itself has changed, or another scheduler's binding has
 *    made the attempt a conflict.
 */
export type PodState =
  /** Not known to the queue. Gated Pods are absent: they enter once they pass PreEnqueue. */
  | { readonly type: "absent" }
  /** Ready to be taken, by priority and age. */
  | { readonly type: "active"; readonly queued: QueuedPod }
  /** Taken by the scheduler, which looks for a node. `meanwhile`: the events since then. */
  | {
      readonly type: "inFlight";
      readonly queued: QueuedPod;
      readonly meanwhile: "nothing" | "helped" | "changed";
    }
  /** A node was found, and the binding is under way or not observed yet. */
  | { readonly type: "assumed"; readonly queued: QueuedPod }
  | { readonly type: "backingOff"; readonly queued: QueuedPod }
  /** No node fits. `rejectedBy`: the plugins that rejected the nodes. */
  | { readonly type: "unschedulable"; readonly queued: QueuedPod; readonly rejectedBy: Plugins };

/** A Pod that wants a node. */
export interface QueuedPod {
  readonly pod: Pod;
  /** Attempts that have failed. */
  readonly attempts: number;
  /** The Pod's rank in the order in which Pods first entered the queue. */
  readonly order: number;
  /** The end of the last attempt, on the monotonic clock. */
  readonly triedAt: number;
}

/** Decides whether a change of the cluster may help a Pod that these plugins rejected. */
export type Helps = (pod: Pod, rejectedBy: Plugins) => boolean;

/** The names of plugins; empty when any plugin may be the one. */
export type Plugins = ReadonlySet<string>;

export type PodEvent =
  /** The Pod was added, or updated in something that scheduling depends on. `order` ranks a new Pod. */
  | { readonly type: "observed"; readonly pod: Pod; readonly order: number }
  /** The Pod no longer wants a node: it is terminating, or another scheduler's. A binding decides for itself. */
  | { readonly type: "withdrawn" }
  /** The Pod was deleted, or has a node. */
  | { readonly type: "removed" }
  /** The scheduler begins an attempt. */
  | { readonly type: "taken" }
  /** The attempt has found a node. */
  | { readonly type: "assumed" }
  /** The attempt has found no node. */
  | { readonly type: "unschedulable"; readonly rejectedBy: Plugins }
  /** The attempt, or its binding, has failed by an error. */
  | { readonly type: "failed" }
  /** The binding was a conflict with another scheduler's, which has been seen since. */
  | { readonly type: "conflicted" }
  /** The cluster has changed. `helps` decides for the plugins that rejected a Pod. */
  | { readonly type: "clusterEvent"; readonly helps: Helps }
  /** The timer of the state has fired. */
  | { readonly type: "elapsed" };

export type PodAction =
  /** Put the Pod among those that are ready to be taken. */
  | { readonly type: "enqueue"; readonly queued: QueuedPod }
  /** Send `elapsed` after `ms`, unless the state changes before. */
  | { readonly type: "wait"; readonly ms: number };

export interface Step {
  readonly state: PodState;
  readonly action?: PodAction;
}

type StateOf<S> = Extract<PodState, { type: S }>;
type EventOf<E> = Extract<PodEvent, { type: E }>;
type Row<S> = {
  readonly [E in PodEvent["type"]]: (state: StateOf<S>, event: EventOf<E>, when: When) => Step;
};
type Table = { readonly [S in PodState["type"]]: Row<S> };

/** The delay after the first failed attempt, doubled with each, and the longest one; in milliseconds. */
export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** Upstream's defaults. */
const defaultBackoff: Backoff = { firstMs: 1000, maxMs: 10_000 };
const maxUnschedulableMs = 300_000;

interface When {
  readonly now: number;
  readonly backoff: Backoff;
}

export const absent: StateOf<"absent"> = { type: "absent" };
const anyPlugin: Plugins = new Set();

/** The next state, and the action that it needs. `now` is on the monotonic clock. The same state: no change. */
export function stepPod(state: PodState, event: PodEvent, now: number, backoff = defaultBackoff): Step {
  return cell(state.type, state, event.type, event, { now, backoff });
}

function cell<S extends PodState["type"], E extends PodEvent["type"]>(
  row: S,
  state: StateOf<S>,
  column: E,
  event: EventOf<E>,
  when: When,
): Step {
  const handlers: Row<S> = table[row];
  return handlers[column](state, event, when);
}

function stay(state: PodState): Step {
  return { state };
}

function leave(): Step {
  return { state: absent };
}

function activate(queued: QueuedPod): Step {
  return { state: { type: "active", queued }, action: { type: "enqueue", queued } };
}

/** A changed Pod is tried as soon as its turn comes: the old attempts say little about it. */
function update({ queued }: { readonly queued: QueuedPod }, { pod }: EventOf<"observed">): Step {
  return activate({ ...queued, pod });
}

/** The back-off runs from the last attempt. It may be over already. */
function backOff(queued: QueuedPod, { now, backoff }: When): Step {
  const delay = Math.min(backoff.firstMs * 2 ** (queued.attempts - 1), backoff.maxMs);
  const ms = Math.max(0, queued.triedAt + delay - now);
  return { state: { type: "backingOff", queued }, action: { type: "wait", ms } };
}

function failed(queued: QueuedPod, { now }: When): QueuedPod {
  return { ...queued, attempts: queued.attempts + 1, triedAt: now };
}

function reject(
  { queued, meanwhile }: StateOf<"inFlight">,
  { rejectedBy }: EventOf<"unschedulable">,
  when: When,
): Step {
  const tried = failed(queued, when);
  if (meanwhile === "changed") return activate(tried);
  if (meanwhile === "helped") return backOff(tried, when);
  return {
    state: { type: "unschedulable", queued: tried, rejectedBy },
    action: { type: "wait", ms: maxUnschedulableMs },
  };
}

/** Outcomes that reach another state than `inFlight` or `assumed` belong to an attempt that no longer counts. */
const table: Table = {
  absent: {
    observed: (_, { pod, order }) => activate({ pod, attempts: 0, order, triedAt: 0 }),
    withdrawn: stay,
    removed: stay,
    taken: stay,
    assumed: stay,
    unschedulable: stay,
    failed: stay,
    conflicted: stay,
    clusterEvent: stay,
    elapsed: stay,
  },
  active: {
    observed: update,
    withdrawn: leave,
    removed: leave,
    taken: ({ queued }) => ({ state: { type: "inFlight", queued, meanwhile: "nothing" } }),
    assumed: stay,
    unschedulable: stay,
    failed: stay,
    conflicted: stay,
    clusterEvent: stay,
    elapsed: stay,
  },
  inFlight: {
    observed: ({ queued }, { pod }) => ({
      state: { type: "inFlight", queued: { ...queued, pod }, meanwhile: "changed" },
    }),
    withdrawn: leave,
    removed: leave,
    taken: stay,
    assumed: ({ queued }) => ({ state: { type: "assumed", queued } }),
    unschedulable: reject,
    failed: ({ queued, meanwhile }, _, when) => {
      const tried = failed(queued, when);
      return meanwhile === "changed" ? activate(tried) : backOff(tried, when);
    },
    conflicted: stay,
    // The plugins that will reject the Pod are not known yet.
    clusterEvent: (state, { helps }) =>
      state.meanwhile === "nothing" && helps(state.queued.pod, anyPlugin)
        ? { state: { ...state, meanwhile: "helped" } }
        : { state },
    elapsed: stay,
  },
  assumed: {
    observed: ({ queued }, { pod }) => ({ state: { type: "assumed", queued: { ...queued, pod } } }),
    // The Pod holds its room on the node until the binding has failed or the Pod is deleted.
    withdrawn: stay,
    removed: leave,
    taken: stay,
    assumed: stay,
    unschedulable: stay,
    failed: ({ queued }, _, when) => backOff(failed(queued, when), when),
    conflicted: ({ queued }) => activate(queued),
    clusterEvent: stay,
    elapsed: stay,
  },
  backingOff: {
    observed: update,
    withdrawn: leave,
    removed: leave,
    taken: stay,
    assumed: stay,
    unschedulable: stay,
    failed: stay,
    conflicted: stay,
    clusterEvent: stay,
    elapsed: ({ queued }) => activate(queued),
  },
  unschedulable: {
    observed: update,
    withdrawn: leave,
    removed: leave,
    taken: stay,
    assumed: stay,
    unschedulable: stay,
    failed: stay,
    conflicted: stay,
    clusterEvent: (state, { helps }, when) =>
      helps(state.queued.pod, state.rejectedBy) ? backOff(state.queued, when) : { state },
    // The flush: no Pod waits forever for a cluster event.
    elapsed: ({ queued }, _, when) => backOff(queued, when),
  },
};
