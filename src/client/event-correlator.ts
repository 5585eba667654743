import { hash } from "node:crypto";
import { formatTime } from "../util/clock.ts";
import { LruMap } from "../util/lru.ts";

/** A recorded event before it becomes an Event. All fields are strings, so that sightings can be compared. */
export interface Sighting {
  readonly component: string;
  readonly host: string;
  readonly involved: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
    readonly fieldPath: string;
    readonly resourceVersion: string;
  };
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/** The write of an Event. `name` is absent for a new Event, and names the Event to count up otherwise. */
export interface CorrelatedEvent {
  readonly key: string;
  readonly name: string | undefined;
  readonly message: string;
  readonly count: number;
  /** RFC 3339. */
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
}

/** Upstream's defaults (client-go `tools/record/events_cache.go`). */
const cacheSize = 4096;
/**
 * The number of messages, equal in all other fields and each within `similarMs` of the one before, that become one
 * Event.
 */
const maxSimilar = 10;
const similarMs = 600_000;
/** The number of Events that a source may send about one object at once; one more is allowed each five minutes. */
const spamBurst = 25;
const spamRefillMs = 300_000;

interface Similar {
  /** Digests of the messages, oldest first, in one string because there are many. */
  readonly messages: string;
  readonly lastSeen: number;
}

interface Bucket {
  readonly tokens: number;
  readonly filled: number;
}

interface Written {
  readonly name: string;
  readonly count: number;
  readonly firstTimestamp: string;
}

/**
 * Keeps Events from flooding the cluster: counts repeats, combines similar Events, and limits the Events of a source
 * about one object.
 */
export class EventCorrelator {
  readonly #similar = new LruMap<string, Similar>(cacheSize);
  readonly #buckets = new LruMap<string, Bucket>(cacheSize);
  readonly #written = new LruMap<string, Written>(cacheSize);

  /** Returns the write for a sighting at `now` (ms since the epoch); undefined when nothing is to be written. */
  correlate(sighting: Sighting, now: number): CorrelatedEvent | undefined {
    const folded = this.#isFlood(sighting, now);
    const key = folded ? similarKey(sighting) : eventKey(sighting);
    const written = this.#written.get(key);
    if (!this.#takeToken(sighting, now)) return undefined;
    const time = formatTime(now);
    return {
      key,
      name: written?.name,
      message: folded ? `(combined from similar events): ${sighting.message}` : sighting.message,
      count: (written?.count ?? 0) + 1,
      firstTimestamp: written?.firstTimestamp ?? time,
      lastTimestamp: time,
    };
  }

  /** Notes that the server has stored the Event under this name. */
  written({ key, count, firstTimestamp }: CorrelatedEvent, name: string): void {
    this.#written.set(key, { name, count, firstTimestamp });
  }

  #isFlood(sighting: Sighting, now: number): boolean {
    const key = similarKey(sighting);
    const known = this.#similar.get(key);
    const fresh = known !== undefined && now - known.lastSeen <= similarMs;
    const message = short(sighting.message);
    const before = fresh ? known.messages : "";
    const messages = before.includes(message) ? before : before + message;
    const flood = messages.length >= maxSimilar * message.length;
    // One digest is removed again: the string stays bounded, and the next message is counted afresh.
    this.#similar.set(key, { messages: flood ? messages.slice(message.length) : messages, lastSeen: now });
    return flood;
  }

  #takeToken(sighting: Sighting, now: number): boolean {
    const key = spamKey(sighting);
    const { tokens, filled } = this.#buckets.get(key) ?? { tokens: spamBurst, filled: now };
    const available = Math.min(spamBurst, tokens + (now - filled) / spamRefillMs);
    const allowed = available >= 1;
    this.#buckets.set(key, { tokens: allowed ? available - 1 : available, filled: now });
    return allowed;
  }
}

/** Returns a text's digest. A node agent remembers thousands of messages, and a message may be long. */
function short(text: string): string {
  return hash("sha1", text, "base64url");
}

const join = (...parts: readonly string[]) => parts.join("\0");

function spamKey(sighting: Sighting): string {
  return short(aboutKey(sighting));
}

function similarKey(sighting: Sighting): string {
  return short(join(aboutKey(sighting), sighting.reason));
}

function eventKey(sighting: Sighting): string {
  const { involved, reason, message } = sighting;
  return short(join(aboutKey(sighting), reason, involved.fieldPath, message));
}

function aboutKey({ component, host, involved, type }: Sighting): string {
  const { kind, namespace, name, uid, apiVersion } = involved;
  return join(component, host, kind, namespace, name, uid, apiVersion, type);
}
