import { wholeNumber } from "./integers.ts";
import {
  CelError,
  CelList,
  CelMap,
  Double,
  Duration,
  type Result,
  Timestamp,
  Uint,
  type Value,
} from "./values.ts";

/** A list of evaluated values. */
export class ArrayList extends CelList {
  readonly #values: readonly Value[];

  constructor(values: readonly Value[]) {
    super();
    this.#values = values;
  }

  override get size(): number {
    return this.#values.length;
  }

  override at(index: number): Result {
    return this.#values[index] ?? null;
  }
}

/** The concatenation of two lists, without copying either. */
export class JoinedList extends CelList {
  readonly size: number;
  readonly #first: CelList;
  readonly #second: CelList;

  constructor(first: CelList, second: CelList) {
    super();
    this.size = first.size + second.size;
    this.#first = first;
    this.#second = second;
  }

  override at(index: number): Result {
    const { size } = this.#first;
    return index < size ? this.#first.at(index) : this.#second.at(index - size);
  }
}

/**
 * The list that a macro builds. It is mutable, because no other code has a reference until it is complete.
 */
export class GatheringList extends CelList {
  readonly #values: Value[] = [];

  override get size(): number {
    return this.#values.length;
  }

  override at(index: number): Result {
    return this.#values[index] ?? null;
  }

  override concat(other: CelList): Result {
    for (const value of other) {
      if (value instanceof CelError) return value;
      this.#values.push(value);
    }
    return this;
  }

  complete(): CelList {
    return new ArrayList(this.#values);
  }
}

/** A map of evaluated values. */
export class HashMap extends CelMap {
  /** Entries whose keys are equal in CEL exactly when they are equal in JavaScript. */
  readonly #entries = new Map<Value, Value>();
  /** Entries with other keys, by a text that identifies the key. */
  readonly #boxed = new Map<string, readonly [Value, Value]>();

  /** Adds an entry. Only a literal or a macro calls it, while it builds the map. */
  set(key: Value, value: Value): void {
    const text = boxedKey(key);
    if (text === undefined) this.#entries.set(key, value);
    else this.#boxed.set(text, [key, value]);
  }

  override get size(): number {
    return this.#entries.size + this.#boxed.size;
  }

  /**
   * Returns the value of a key. `1`, `1u` and `1.0` are different keys; if the key is absent, an equal number
   * of another type is looked up.
   */
  override get(key: Value): Result | undefined {
    const found = this.#find(key);
    if (found !== undefined) return key instanceof Double && Number.isNaN(key.value) ? undefined : found;
    const number = wholeNumber(key);
    if (number === undefined) return undefined;
    const asInt = typeof key === "object" ? this.#find(number) : undefined;
    return asInt === undefined ? this.#find(new Uint(number)) : asInt;
  }

  override *keys(): Iterable<Value> {
    yield* this.#entries.keys();
    for (const [key] of this.#boxed.values()) yield key;
  }

  #find(key: Value): Value | undefined {
    const text = boxedKey(key);
    return text === undefined ? this.#entries.get(key) : this.#boxed.get(text)?.[1];
  }
}

function boxedKey(key: Value): string | undefined {
  if (key === null || typeof key !== "object") return undefined;
  if (key instanceof Uint) return `uint ${key.value}`;
  // Adding 0 converts -0 to 0.
  if (key instanceof Double) return `double ${key.value + 0}`;
  if (key instanceof Duration) return `duration ${key.nanos}`;
  if (key instanceof Timestamp) return `timestamp ${key.seconds}.${key.nanos}`;
  return key instanceof Uint8Array ? `bytes ${Buffer.from(key).toString("hex")}` : undefined;
}
