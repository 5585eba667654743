import type { EncodedEvent } from "../../meta/exchange.ts";
import type { KubeObject } from "../../meta/kind.ts";
import { errors, StatusError } from "../../meta/status.ts";
import type { Entry, Revision } from "../../store/store.ts";
import type { Timer } from "../../util/clock.ts";
import type { Subscription } from "../watch/feed.ts";
import { entryEvent, frame, type WatchRecord } from "../watch/record.ts";
import type { Scope } from "./scope.ts";
import type { ServedResource } from "../resources/served.ts";
import { interestOf, type Selection, selects, selectsAll } from "./selection.ts";
import { newest } from "../../store/revision.ts";

/** Rewrites an event into the form that the client accepts (a Table, or metadata). */
export type Transform = (event: EncodedEvent) => EncodedEvent;

export interface WatchParameters {
  /** Delivers changes after this revision. */
  readonly after: Revision;
  /** Starts with the present state, as ADDED events. */
  readonly initial: boolean;
  readonly bookmarks: boolean;
  /** Marks the end of the initial events with a bookmark (KEP-3157). */
  readonly markEnd: boolean;
  readonly timeoutMs: number;
}

const bookmarkEveryMs = 60_000;
/** The time between a watch's last bookmark and its end. */
const lastBookmarkMs = 2000;
/** Initial events are sent in slices, so that a large list does not block the event loop. */
const sliceSize = 500;

/**
 * Yields the initial events, if requested, and then the changes. An error, such as a failed conversion, is
 * the last event. It is one generator, because each nested one would cost every event some turns.
 */
export async function* watch(
  scope: Scope,
  selection: Selection,
  parameters: WatchParameters,
  transform: Transform,
): AsyncGenerator<readonly EncodedEvent[]> {
  const { store, hub } = scope.services;
  const { resource } = selection;
  const feed = hub.feed(resource.storageName);
  // Both happen in one turn, so no change is lost between the list and the subscription.
  const present = parameters.initial ? store.list(resource.prefix(selection.namespace)) : undefined;
  const after = present?.revision ?? (parameters.after === 0 ? store.revision : parameters.after);
  if (after < feed.from) {
    yield [failed(errors.expired(`too old resource version: ${after} (${feed.from})`))];
    return;
  }
  const subscription = feed.subscribe(interestOf(selection), after);
  const alarms = new Alarms(scope, subscription, parameters);
  try {
    for (let start = 0; start < (present?.entries.length ?? 0); start += sliceSize) {
      const slice = present?.entries.slice(start, start + sliceSize) ?? [];
      const events = await initialEvents(scope, selection, slice);
      if (events.length > 0) yield events.map(transform);
    }
    if (parameters.markEnd) yield [transform(bookmark(selection, after, true))];
    const isPlain = selectsAll(selection) && !resource.converts;
    while (subscription.open) {
      const records = await subscription.next();
      // Everything up to here has been queued for this watcher, and its queue is now empty.
      const position = newest(hub.position, after);
      const events = isPlain ? records.map(eventOf) : await chosenEvents(selection, records);
      if (events.length > 0) yield events.map(transform);
      if (alarms.takeBookmark()) yield [transform(bookmark(selection, position, false))];
    }
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    yield [failed(error)];
  } finally {
    alarms.cancel();
    subscription.close();
  }
}

async function initialEvents(
  { services }: Scope,
  selection: Selection,
  entries: readonly Entry[],
): Promise<readonly EncodedEvent[]> {
  const added = entries.map((entry) => entryEvent("ADDED", entry, services.codec));
  const events = await shown(selection.resource, added);
  return selectsAll(selection)
    ? events
    : events.filter(({ event }) => event.type !== "ERROR" && selects(selection, event.object));
}

/** Returns the event of a change for a watcher of every object. */
function eventOf(record: WatchRecord): EncodedEvent {
  return record.event(record.previous !== undefined, record.entry !== undefined);
}

async function chosenEvents(
  selection: Selection,
  records: readonly WatchRecord[],
): Promise<readonly EncodedEvent[]> {
  const { resource } = selection;
  const holds = async (object: KubeObject | undefined) =>
    object !== undefined && selects(selection, await resource.shown(object));
  const events: EncodedEvent[] = [];
  for (const record of records) {
    const [held, does] = [await holds(record.before), await holds(record.object)];
    if (held || does) events.push(record.event(held, does));
  }
  return shown(resource, events);
}

/** Converts the events of a resource that is stored in another form than clients see. */
async function shown(
  resource: ServedResource,
  events: readonly EncodedEvent[],
): Promise<readonly EncodedEvent[]> {
  if (!resource.converts) return events;
  return Promise.all(
    events.map(async (encoded) => {
      const { type, object: stored } = encoded.event;
      if (type === "ERROR") return encoded;
      const object = await resource.shown(stored);
      if (object === stored) return encoded;
      return { event: { type, object }, encoded: () => frame(type, resource.jsonOf(object)) };
    }),
  );
}

/** The timers that end a watch, or cause a bookmark when nothing changes. */
class Alarms {
  #timers: Timer[] = [];
  #bookmarkDue = false;
  readonly #stop: () => void;
  readonly #signal: AbortSignal;

  constructor(
    { services, signal }: Scope,
    subscription: Subscription,
    { timeoutMs, bookmarks }: WatchParameters,
  ) {
    this.#signal = signal;
    const { clock } = services.env;
    this.#stop = () => subscription.close();
    if (signal.aborted) subscription.close();
    signal.addEventListener("abort", this.#stop, { once: true });
    this.#timers.push(clock.after(timeoutMs, this.#stop));
    if (!bookmarks) return;
    // The last bookmark comes shortly before the end, so that the client resumes from a recent revision.
    const last = clock.monotonic() + Math.max(timeoutMs - lastBookmarkMs, 0);
    const remind = () => {
      this.#bookmarkDue = true;
      subscription.flush();
      arm();
    };
    const arm = () => {
      const left = last - clock.monotonic();
      if (left > 1 || !this.#bookmarkDue)
        this.#timers[1] = clock.after(Math.max(Math.min(bookmarkEveryMs, left), 0), remind);
    };
    arm();
  }

  takeBookmark(): boolean {
    const due = this.#bookmarkDue;
    this.#bookmarkDue = false;
    return due;
  }

  cancel(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#signal.removeEventListener("abort", this.#stop);
  }
}

function bookmark({ resource }: Selection, revision: Revision, endOfInitial: boolean): EncodedEvent {
  const object: KubeObject = {
    kind: resource.kind.kind,
    apiVersion: resource.kind.apiVersion,
    metadata: {
      resourceVersion: String(revision),
      ...(endOfInitial ? { annotations: { "k8s.io/initial-events-end": "true" } } : {}),
    },
  };
  return {
    event: { type: "BOOKMARK", object },
    encoded: () => frame("BOOKMARK", Buffer.from(JSON.stringify(object))),
  };
}

function failed({ status }: StatusError): EncodedEvent {
  return {
    event: { type: "ERROR", object: status },
    encoded: () => frame("ERROR", Buffer.from(JSON.stringify(status))),
  };
}
