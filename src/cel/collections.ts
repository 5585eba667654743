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

/** A list of values that are already there. */
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

/** One list after the other, neither copied. */
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

/** What a macro gathers its results in. Nobody else sees it until it is complete, so it may change. */
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

/** A map of values that are already there. */
export class HashMap extends CelMap {
  /** Keys that are the same value when they are equal in JavaScript. */
  readonly #entries = new Map<Value, Value>();
  /** All others, by a text that says which value they are. */
  readonly #boxed = new Map<string, readonly [Value, Value]>();

  /** Only while the map is being made, by a literal or a macro. */
  set(key: Value, value: Value): void {
    const text = boxedKey(key);
    if (text === undefined) this.#entries.set(key, value);
    else this.#boxed.set(text, [key, value]);
  }

  override get size(): number {
    return this.#entries.size + this.#boxed.size;
  }

  /** `1`, `1u` and `1.0` are three keys; where one of them is missing, a look for it finds another. */
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
  // Adding 0 makes 0 of -0.
  if (key instanceof Double) return `double ${key.value + 0}`;
  if (key instanceof Duration) return `duration ${key.nanos}`;
  if (key instanceof Timestamp) return `timestamp ${key.seconds}.${key.nanos}`;
  return key instanceof Uint8Array ? `bytes ${Buffer.from(key).toString("hex")}` : undefined;
}
