import type { Type } from "./type.ts";

/**
 * How the language's values are held:
 *
 * | CEL | here |
 * |---|---|
 * | null, bool, string | as in JavaScript; strings are handled by code points |
 * | int | a number where it is a safe integer, else a bigint: always the first when it can be (`integers.ts`) |
 * | uint, double | `Uint`, `Double` |
 * | bytes | `Uint8Array` |
 * | list, map | `CelList`, `CelMap`: abstract, so that JSON can stand behind them unconverted |
 * | timestamp, duration, optional, type | `Timestamp`, `Duration`, `Optional`, `Type` |
 * | everything else | a subclass of `CelObject` |
 *
 * Values are immutable. What goes wrong is a `CelError`, which travels like a value, because `&&` and `||`
 * may still make nothing of it.
 */
export type Value =
  | null
  | boolean
  | Int
  | string
  | Uint8Array
  | Uint
  | Double
  | CelList
  | CelMap
  | Timestamp
  | Duration
  | Optional
  | CelObject
  | Type;

export type Int = number | bigint;

export type Result = Value | CelError;

/** An evaluation that has no value. Messages are cel-go's. */
export class CelError {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** No function of that name takes arguments like these. */
export const noSuchOverload = new CelError("no such overload");

/** An unsigned 64-bit integer, held as an int is. */
export class Uint {
  readonly value: Int;

  constructor(value: Int) {
    this.value = value;
  }
}

export class Double {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** Between the years 1 and 9999; `nanos` in [0, 1e9). */
export class Timestamp {
  /** Since 1970, in UTC. */
  readonly seconds: number;
  readonly nanos: number;
  /** East of Greenwich, in seconds: only for its text, which keeps the offset that it was written with. */
  readonly offset: number;

  constructor(seconds: number, nanos: number, offset = 0) {
    this.seconds = seconds;
    this.nanos = nanos;
    this.offset = offset;
  }
}

/** Nanoseconds that fit into 64 bits, held as an int is. */
export class Duration {
  readonly nanos: Int;

  constructor(nanos: Int) {
    this.nanos = nanos;
  }
}

export class Optional {
  static readonly none = new Optional(undefined);
  /** Undefined when there is none. */
  readonly value: Value | undefined;

  private constructor(value: Value | undefined) {
    this.value = value;
  }

  static of(value: Value): Optional {
    return new Optional(value);
  }
}

/** A list. Elements may be made when they are asked for, and making one may fail. */
export abstract class CelList {
  abstract readonly size: number;
  /** `index` is an integer in [0, size). */
  abstract at(index: number): Result;

  /** Where equality is not element by element, as of sets (`x-kubernetes-list-type`). Never given null. */
  equals?(other: Value): boolean | CelError;
  /** Where a sum is not one list after the other. */
  concat?(other: CelList): Result;

  *[Symbol.iterator](): Generator<Result> {
    for (let i = 0; i < this.size; i++) yield this.at(i);
  }
}

/** A map with keys of type bool, int, uint or string. A double finds what the equal integer finds. */
export abstract class CelMap {
  abstract readonly size: number;
  /** Undefined when the key is absent. */
  abstract get(key: Value): Result | undefined;
  abstract keys(): Iterable<Value>;
  /** Where equality is not key by key. Never given null. */
  equals?(other: Value): boolean | CelError;
}

/** A value of a type that the language does not know: an authorizer, a quantity, an object under construction. */
export abstract class CelObject {
  abstract readonly type: Type;
  abstract equals(other: Value): boolean | CelError;

  /** A field's value; undefined when it is not set. */
  field(_name: string): Result | undefined {
    return undefined;
  }

  /** What `object.name` is. Of some objects, fields that are not set have a value all the same. */
  read(name: string): Result | undefined {
    return this.field(name);
  }

  /** What the costs of functions grow with; 1 for values of fixed size. */
  get size(): number {
    return 1;
  }
}
