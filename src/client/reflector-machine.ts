import type { WatchEvent } from "../meta/exchange.ts";
import type { KubeObject } from "../meta/kind.ts";

/**
 * A reflector's copy of a resource, as a pure state machine (client-go `tools/cache/reflector.go`).
 *
 * Invariants:
 * 1. A consumer gets `replace` before any `apply`, and a `replace` only with a complete state.
 * 2. Every `apply` carries an event that follows the last `replace` or `apply` without a gap.
 * 3. Once synced, no `replace` shows a state older than what was seen, unless the server has forgotten it.
 * 4. In every state but `waiting`, exactly one request is under way.
 */
export type ReflectorState<O> =
  /** A watch sends the present state first. The state is collected until the closing bookmark. */
  | { readonly type: "streaming"; readonly memory: Memory; readonly items: Map<string, O> }
  /** A list was requested, because the server does not stream states. */
  | { readonly type: "listing"; readonly memory: Memory }
  | { readonly type: "watching"; readonly memory: Memory }
  /** A request failed; `next` is the request after the delay. */
  | { readonly type: "waiting"; readonly memory: Memory; readonly next: "sync" | "watch" };

/** The facts that are known in every state. */
export interface Memory {
  /** The newest version seen; empty when there is none, or the server has forgotten it. */
  readonly resourceVersion: string;
  /** The way to fetch the state. Changes to `list` for good when a server refuses to stream. */
  readonly mode: "stream" | "list";
  /** The number of failures since the last working watch; the delay grows with it. */
  readonly failures: number;
}

export type ReflectorEvent<O> =
  /** The list has arrived. */
  | { readonly type: "listed"; readonly items: readonly O[]; readonly resourceVersion: string }
  /** One event of the watch, except ERROR. */
  | { readonly type: "event"; readonly event: Exclude<WatchEvent<O>, { type: "ERROR" }> }
  /** The server has ended the watch. `fruitless`: at once and without an event. */
  | { readonly type: "ended"; readonly fruitless: boolean }
  | { readonly type: "failed"; readonly failure: Failure }
  /** The delay is over. */
  | { readonly type: "resumed" };

export type Failure =
  /** The server has forgotten the resource version, or does not know it yet. */
  | "expired"
  /** The server does not stream states. */
  | "unsupported"
  | "other";

export type ReflectorAction<O> =
  /** Open a watch that sends the state first, at this version or newer; empty: the newest state. */
  | { readonly type: "stream"; readonly resourceVersion: string }
  /** List at this version or newer; empty: the newest state. */
  | { readonly type: "list"; readonly resourceVersion: string }
  | { readonly type: "watch"; readonly resourceVersion: string }
  | { readonly type: "wait"; readonly failures: number }
  | { readonly type: "replace"; readonly items: readonly O[]; readonly resourceVersion: string }
  | {
      readonly type: "apply";
      readonly event: Extract<WatchEvent<O>, { type: "ADDED" | "MODIFIED" | "DELETED" }>;
    };

export interface Step<O> {
  readonly state: ReflectorState<O>;
  readonly actions: readonly ReflectorAction<O>[];
}

type StateOf<O, T> = Extract<ReflectorState<O>, { type: T }>;
type EventOf<O, T> = Extract<ReflectorEvent<O>, { type: T }>;
type Table<O> = {
  readonly [S in ReflectorState<O>["type"]]: {
    readonly [E in ReflectorEvent<O>["type"]]: (state: StateOf<O, S>, event: EventOf<O, E>) => Step<O>;
  };
};

const initialEventsEnd = "k8s.io/initial-events-end";

/** The first step of every reflector: it asks the server to stream. */
export function startReflector<O extends KubeObject>(): Step<O> {
  return sync({ resourceVersion: "", mode: "stream", failures: 0 });
}

/** Returns the next state, and the actions in their order. */
export function stepReflector<O extends KubeObject>(
  state: ReflectorState<O>,
  event: ReflectorEvent<O>,
): Step<O> {
  // Safe: the table has an entry for each pair, and this is the entry of this pair.
  const handle = table[state.type][event.type] as unknown as (
    state: ReflectorState<O>,
    event: ReflectorEvent<O>,
  ) => Step<O>;
  return handle(state, event);
}

/** Fetches the complete state, at the version seen or newer. */
function sync<O>(memory: Memory): Step<O> {
  const { mode, resourceVersion } = memory;
  return mode === "stream"
    ? {
        state: { type: "streaming", memory, items: new Map() },
        actions: [{ type: "stream", resourceVersion }],
      }
    : { state: { type: "listing", memory }, actions: [{ type: "list", resourceVersion }] };
}

/** Resumes from the version seen. */
function watch<O>(memory: Memory): Step<O> {
  const { resourceVersion } = memory;
  return { state: { type: "watching", memory }, actions: [{ type: "watch", resourceVersion }] };
}

function wait<O>(memory: Memory, next: "sync" | "watch"): Step<O> {
  const failures = memory.failures + 1;
  return {
    state: { type: "waiting", memory: { ...memory, failures }, next },
    actions: [{ type: "wait", failures }],
  };
}

/**
 * Forgets a version that the server does not have, and fetches the newest state; after a delay when the newest state
 * was already requested.
 */
function forget<O>(memory: Memory): Step<O> {
  return memory.resourceVersion === "" ? wait(memory, "sync") : sync({ ...memory, resourceVersion: "" });
}

/**
 * Fetches the state after a lost resume point: the first time at once, then after a delay, because a server that loses
 * every resume point must not be asked in a loop.
 */
function resync<O>(memory: Memory): Step<O> {
  return memory.failures === 0 ? sync({ ...memory, failures: 1 }) : wait(memory, "sync");
}

function stay<O>(state: ReflectorState<O>): Step<O> {
  return { state, actions: [] };
}

function versionOf({ metadata }: KubeObject, memory: Memory): string {
  return metadata.resourceVersion ?? memory.resourceVersion;
}

function collect<O extends KubeObject>(
  state: StateOf<O, "streaming">,
  { event }: EventOf<O, "event">,
): Step<O> {
  const { items, memory } = state;
  if (event.type !== "BOOKMARK") {
    const { namespace = "", name = "" } = event.object.metadata;
    if (event.type === "DELETED") items.delete(`${namespace}/${name}`);
    else items.set(`${namespace}/${name}`, event.object);
    return stay(state);
  }
  if (event.object.metadata.annotations?.[initialEventsEnd] !== "true") return stay(state);
  const resourceVersion = versionOf(event.object, memory);
  return {
    state: { type: "watching", memory: { ...memory, resourceVersion } },
    actions: [{ type: "replace", items: [...items.values()], resourceVersion }],
  };
}

function follow<O extends KubeObject>(
  { memory }: StateOf<O, "watching">,
  { event }: EventOf<O, "event">,
): Step<O> {
  const resourceVersion = versionOf(event.object, memory);
  return {
    state: { type: "watching", memory: { ...memory, resourceVersion, failures: 0 } },
    actions: event.type === "BOOKMARK" ? [] : [{ type: "apply", event }],
  };
}

/** Ignores an event that cannot occur in a state: it answers a request that was abandoned. */
const table: Table<KubeObject> = {
  streaming: {
    event: collect,
    ended: ({ memory }) => wait(memory, "sync"),
    failed: ({ memory }, { failure }) => {
      if (failure === "expired") return forget(memory);
      return failure === "unsupported" ? sync({ ...memory, mode: "list" }) : wait(memory, "sync");
    },
    listed: stay,
    resumed: stay,
  },
  listing: {
    listed: ({ memory }, { items, resourceVersion }) => {
      const next = watch<KubeObject>({ ...memory, resourceVersion });
      return { state: next.state, actions: [{ type: "replace", items, resourceVersion }, ...next.actions] };
    },
    failed: ({ memory }, { failure }) => (failure === "expired" ? forget(memory) : wait(memory, "sync")),
    event: stay,
    ended: stay,
    resumed: stay,
  },
  watching: {
    event: follow,
    ended: ({ memory }, { fruitless }) =>
      fruitless ? wait(memory, "watch") : watch({ ...memory, failures: 0 }),
    failed: ({ memory }, { failure }) => {
      if (failure === "expired") return resync(memory);
      // The server cannot parse the version, so the version comes from another server.
      return failure === "unsupported"
        ? wait({ ...memory, resourceVersion: "" }, "sync")
        : wait(memory, "watch");
    },
    listed: stay,
    resumed: stay,
  },
  waiting: {
    resumed: ({ memory, next }) => (next === "sync" ? sync(memory) : watch(memory)),
    event: stay,
    ended: stay,
    failed: stay,
    listed: stay,
  },
};
