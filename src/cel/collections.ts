import { wholeNumber } from "./integers.ts";
import { CelError, CelList, CelMap, Double, type Result, Uint, type Value } from "./values.ts";

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
  /** By key; unsigned keys by the number in the second, as `1` and `1u` are different keys of one map. */
  readonly #entries = new Map<Value, Value>();
  readonly #unsigned = new Map<Value, readonly [Uint, Value]>();

  /** Only while the map is being made, by a literal or a macro. */
  set(key: Value, value: Value): void {
    if (key instanceof Uint) this.#unsigned.set(key.value, [key, value]);
    else this.#entries.set(key, value);
  }

  override get size(): number {
    return this.#entries.size + this.#unsigned.size;
  }

  override get(key: Value): Result | undefined {
    if (key instanceof Uint) return this.#unsigned.get(key.value)?.[1] ?? this.#entries.get(key.value);
    const plain = key instanceof Double ? wholeNumber(key) : key;
    if (plain === undefined) return undefined;
    const found = this.#entries.get(plain);
    return found === undefined ? this.#unsigned.get(plain)?.[1] : found;
  }

  override *keys(): Iterable<Value> {
    yield* this.#entries.keys();
    for (const [key] of this.#unsigned.values()) yield key;
  }
}
