import { events } from "../api/core/event/schema.ts";
import { hasReason, StatusError } from "../meta/status.ts";
import { sleep } from "../util/clock.ts";
import type { Env } from "../util/env.ts";
import type { Client } from "./client.ts";
import { type CorrelatedEvent, EventCorrelator, type Sighting } from "./event-correlator.ts";

/** Upstream's limits (client-go `tools/record/event.go`). */
const maxQueued = 1000;
/**
 * The number of Events that are written at the same time. Upstream starts a write for each at once (client-go
 * `tools/events/event_broadcaster.go`): one after the other they fall behind the decisions of a large rollout.
 */
const maxWriting = 100;
const maxTries = 12;
const retryMs = 10_000;

/** The object that an Event is about, or a reference to it. */
export interface InvolvedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
  };
  /** A part of the object, such as `spec.containers{web}`. */
  readonly fieldPath?: string;
}

export interface EventSource {
  /** The component, spelled as upstream spells it: `replicaset-controller`, `default-scheduler`, `kubelet`. */
  readonly component: string;
  /** The node, for a component that runs on one. */
  readonly host?: string;
}

/** Takes the Events of controllers. Never fails and never waits. */
export interface EventSink {
  event(about: InvolvedObject, type: "Normal" | "Warning", reason: string, message: string): void;
}

/**
 * Writes core/v1 Events about objects, counted and bounded as upstream does (`EventCorrelator`). Overflow: while 1000
 * Events wait, further ones are dropped and logged.
 */
export class EventRecorder implements EventSink {
  readonly #client: Client;
  readonly #env: Env;
  readonly #source: Required<EventSource>;
  readonly #correlator: EventCorrelator;
  readonly #queue: { readonly sighting: Sighting; readonly now: number }[] = [];
  /** The objects whose Events are being written. */
  readonly #writing = new Set<string>();
  #wake: (() => void) | undefined;
  /**
   * A substitute for the nanoseconds that make upstream's Event names unique. It begins anywhere, because other recorders
   * report about the same objects in the same millisecond.
   */
  #count: number;

  /**
   * Recorders of one process may share a correlator, and with it the limits; the correlator's keys separate their
   * sources.
   */
  constructor(
    client: Client,
    env: Env,
    { component, host = "" }: EventSource,
    correlator = new EventCorrelator(),
  ) {
    this.#count = Math.trunc(env.random.next() * 1_000_000);
    this.#correlator = correlator;
    this.#client = client;
    this.#env = env;
    this.#source = { component, host };
  }

  event(about: InvolvedObject, type: "Normal" | "Warning", reason: string, message: string): void {
    if (this.#queue.length >= maxQueued) {
      this.#env.log.warn("Dropped an event: too many are waiting", { reason, message });
      return;
    }
    const { name = "", namespace = "", uid = "", resourceVersion = "" } = about.metadata;
    const { apiVersion, kind, fieldPath = "" } = about;
    const involved = { apiVersion, kind, namespace, name, uid, fieldPath, resourceVersion };
    const sighting = { ...this.#source, involved, type, reason, message };
    this.#queue.push({ sighting, now: this.#env.clock.now() });
    this.#wake?.();
  }

  /** Writes the recorded Events until the signal fires. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = () => this.#wake?.();
    signal.addEventListener("abort", stop);
    while (!signal.aborted || this.#writing.size > 0) {
      const next = signal.aborted ? undefined : this.#takeNext();
      if (next === undefined) await this.#sleepUntilWoken();
      else void this.#begin(next.sighting, next.now, signal);
    }
    signal.removeEventListener("abort", stop);
  }

  /**
   * Takes the oldest Event, unless it must wait: the Events of one object are written one after the other, because a
   * repeat counts up the Event before it.
   */
  #takeNext(): { readonly sighting: Sighting; readonly now: number } | undefined {
    const [next] = this.#queue;
    const waits = next !== undefined && this.#writing.has(objectOf(next.sighting));
    return waits || this.#writing.size >= maxWriting ? undefined : this.#queue.shift();
  }

  async #begin(sighting: Sighting, now: number, signal: AbortSignal): Promise<void> {
    const object = objectOf(sighting);
    this.#writing.add(object);
    try {
      await this.#record(sighting, now, signal);
    } catch (error) {
      this.#env.log.error("Cannot write an event", { reason: sighting.reason, error });
    }
    this.#writing.delete(object);
    this.#wake?.();
  }

  async #sleepUntilWoken(): Promise<void> {
    await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#wake = undefined;
  }

  /** Retries while the server cannot be reached; an Event that the server refuses is dropped. */
  async #record(sighting: Sighting, now: number, signal: AbortSignal): Promise<void> {
    const correlated = this.#correlator.correlate(sighting, now);
    if (correlated === undefined) return;
    const { clock, random, log } = this.#env;
    for (let tries = 1; !signal.aborted; tries++) {
      try {
        this.#correlator.written(correlated, await this.#write(sighting, correlated, now, signal));
        return;
      } catch (error) {
        if (error instanceof StatusError || tries === maxTries) {
          const expected = hasReason(error, "AlreadyExists") || isTerminating(error);
          log[expected ? "debug" : "warn"]("Cannot write an event", { reason: sighting.reason, error });
          return;
        }
        await sleep(clock, tries === 1 ? retryMs * random.next() : retryMs, signal);
      }
    }
  }

  /** Counts up the existing Event, or creates one; returns its name. */
  async #write(
    sighting: Sighting,
    correlated: CorrelatedEvent,
    now: number,
    signal: AbortSignal,
  ): Promise<string> {
    const { message, count, lastTimestamp, name } = correlated;
    const namespace = sighting.involved.namespace || "default";
    const resource = this.#client.of(events, namespace);
    if (name !== undefined) {
      try {
        await resource.patch(name, { count, lastTimestamp, message }, { type: "strategic", signal });
        return name;
      } catch (error) {
        if (!hasReason(error, "NotFound")) throw error;
      }
    }
    const fresh = this.#newName(sighting.involved.name, now);
    await resource.create(
      {
        metadata: { name: fresh, namespace },
        involvedObject: sighting.involved,
        reason: sighting.reason,
        message,
        type: sighting.type,
        count,
        source: { component: sighting.component, host: sighting.host },
        firstTimestamp: correlated.firstTimestamp,
        lastTimestamp,
        reportingComponent: sighting.component,
        reportingInstance: sighting.host,
      },
      { signal },
    );
    return fresh;
  }

  /** Returns the Event's name: the object's name and the time in nanoseconds, in hex, as upstream builds it. */
  #newName(about: string, now: number): string {
    this.#count = (this.#count + 1) % 1_000_000;
    const nanoseconds = BigInt(Math.trunc(now)) * 1_000_000n + BigInt(this.#count);
    return `${about.slice(0, 253 - 17)}.${nanoseconds.toString(16)}`;
  }
}

function objectOf({ involved: { kind, namespace, name, uid } }: Sighting): string {
  return `${kind}/${namespace}/${name}/${uid}`;
}

function isTerminating(error: unknown): boolean {
  if (!(error instanceof StatusError)) return false;
  return error.status.details?.causes?.some(({ reason }) => reason === "NamespaceTerminating") ?? false;
}
