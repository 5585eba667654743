import type { KubeObject } from "../meta/kind.ts";
import type { Selector } from "../meta/labels.ts";
import { deepEqual } from "../util/deep-equal.ts";

/** Returns `namespace/name`, or `name` for an object without a namespace. */
export function keyOf({ metadata: { namespace, name } }: KubeObject): string {
  return namespace === undefined || namespace === "" ? (name ?? "") : `${namespace}/${name ?? ""}`;
}

/** The inverse of `keyOf`. */
export function splitKey(key: string): { namespace: string; name: string } {
  const slash = key.indexOf("/");
  return { namespace: key.slice(0, Math.max(0, slash)), name: key.slice(slash + 1) };
}

/**
 * A way to find objects: `valuesOf` returns the values that an object is filed under. Indexes are compared by identity.
 */
export interface Index<O> {
  readonly name: string;
  readonly valuesOf: (object: O) => readonly string[];
}

/** An index with the value to look up. */
export interface Lookup<O> {
  readonly index: Index<O>;
  readonly value: string;
}

/**
 * Defines an index, once, outside of functions; calling it makes a lookup:
 *
 *     const byNode = defineIndex<Pod>("node", (pod) => [pod.spec.nodeName ?? ""]);
 *     cache.list(pods, { index: byNode("node-1") });
 */
export function defineIndex<O>(
  name: string,
  valuesOf: (object: O) => readonly string[],
): (value: string) => Lookup<O> {
  const index = { name, valuesOf };
  return (value) => ({ index, value });
}

/** Objects by the UIDs of their owners. */
export const byOwner = defineIndex<KubeObject>("owner", ({ metadata }) =>
  (metadata.ownerReferences ?? []).map(({ uid }) => uid),
);

const byNamespace = defineIndex<KubeObject>("namespace", ({ metadata }) => [metadata.namespace ?? ""]);

/** The objects to list: all that match every member given. */
export interface Selection<O> {
  readonly namespace?: string | undefined;
  readonly selector?: Selector | undefined;
  readonly index?: Lookup<O> | undefined;
}

/**
 * The objects of one resource, immutable and shared. An index is built at its first use and kept up to date from then
 * on. Lists are in the order of insertion.
 */
export class Indexer<O extends KubeObject> {
  readonly #objects = new Map<string, O>();
  readonly #indexes = new Map<Index<O>, Map<string, Map<string, O>>>();

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): O | undefined {
    return this.#objects.get(key);
  }

  keys(): readonly string[] {
    return [...this.#objects.keys()];
  }

  list({ namespace, selector, index }: Selection<O> = {}): readonly O[] {
    let found: readonly O[];
    if (index !== undefined) found = this.#lookUp(index);
    else if (namespace !== undefined) return this.list({ selector, index: byNamespace(namespace) });
    else found = [...this.#objects.values()];
    if (namespace !== undefined) found = found.filter(({ metadata }) => metadata.namespace === namespace);
    return selector === undefined || selector.empty
      ? found
      : found.filter(({ metadata }) => selector.matches(metadata.labels));
  }

  /** Stores the object under its key; returns the object that it replaced. */
  set(object: O): O | undefined {
    const key = keyOf(object);
    const old = this.#objects.get(key);
    this.#objects.set(key, object);
    for (const [index, entries] of this.#indexes) {
      const values = index.valuesOf(object);
      const before = old === undefined ? [] : index.valuesOf(old);
      // In most changes the values stay the same.
      if (!deepEqual(before, values)) remove(entries, before, key);
      insert(entries, values, key, object);
    }
    return old;
  }

  /** Removes and returns the object under the key. */
  delete(key: string): O | undefined {
    const old = this.#objects.get(key);
    if (old === undefined) return undefined;
    this.#objects.delete(key);
    for (const [index, entries] of this.#indexes) remove(entries, index.valuesOf(old), key);
    return old;
  }

  #lookUp({ index, value }: Lookup<O>): readonly O[] {
    let entries = this.#indexes.get(index);
    if (entries === undefined) {
      entries = new Map();
      for (const [key, object] of this.#objects) insert(entries, index.valuesOf(object), key, object);
      this.#indexes.set(index, entries);
    }
    return [...(entries.get(value)?.values() ?? [])];
  }
}

type Entries<O> = Map<string, Map<string, O>>;

function insert<O>(entries: Entries<O>, values: readonly string[], key: string, object: O): void {
  for (const value of values) {
    const bucket = entries.get(value);
    if (bucket === undefined) entries.set(value, new Map([[key, object]]));
    else bucket.set(key, object);
  }
}

function remove<O>(entries: Entries<O>, values: readonly string[], key: string): void {
  for (const value of values) {
    const bucket = entries.get(value);
    bucket?.delete(key);
    if (bucket?.size === 0) entries.delete(value);
  }
}
