import { groupResource, type Kind } from "../../meta/kind.ts";
import type { Entry } from "../../store/store.ts";
import type { Services } from "../services.ts";
import type { Subscription } from "../watch/feed.ts";

/** A reference between two objects, each identified by a string. */
export type Reference = readonly [from: string, to: string];

type Reads = Pick<Services, "store" | "hub">;

/**
 * An index of the references of a kind's objects. Each look-up first applies the changes that the watch cache
 * has received, so the index is never older than any client's watch.
 */
export class ReferenceIndex {
  readonly #services: Reads;
  readonly #kind: Kind;
  readonly #referencesOf: (entry: Entry) => Iterable<Reference>;
  /** The number of objects with each reference, by the reference's start. */
  readonly #counts = new Map<string, Map<string, number>>();
  #changes: Subscription | undefined;

  constructor(services: Reads, kind: Kind, referencesOf: (entry: Entry) => Iterable<Reference>) {
    this.#services = services;
    this.#kind = kind;
    this.#referencesOf = referencesOf;
  }

  has(from: string, to: string): boolean {
    this.#catchUp();
    return this.#counts.get(from)?.has(to) === true;
  }

  /** Returns all targets of `from`. */
  of(from: string): readonly string[] {
    this.#catchUp();
    return [...(this.#counts.get(from)?.keys() ?? [])];
  }

  #catchUp(): void {
    if (this.#changes === undefined || this.#changes.slow) this.#rebuild();
    for (const { previous, entry } of this.#changes?.drain() ?? []) {
      this.#count(previous, -1);
      this.#count(entry, 1);
    }
  }

  #rebuild(): void {
    const { store, hub } = this.#services;
    const resource = groupResource(this.#kind);
    this.#counts.clear();
    const { entries, revision } = store.list(`/registry/${resource}/`);
    for (const entry of entries) this.#count(entry, 1);
    this.#changes = hub.feed(resource).subscribe({ namespace: "", name: "" }, revision);
  }

  #count(entry: Entry | undefined, by: 1 | -1): void {
    if (entry === undefined) return;
    // An object with the same reference twice counts once.
    const unique = new Map([...this.#referencesOf(entry)].map((one) => [one.join("\0"), one]));
    for (const [from, to] of unique.values()) {
      const targets = this.#counts.get(from) ?? new Map<string, number>();
      const count = (targets.get(to) ?? 0) + by;
      if (count > 0) targets.set(to, count);
      else targets.delete(to);
      if (targets.size > 0) this.#counts.set(from, targets);
      else this.#counts.delete(from);
    }
  }
}
