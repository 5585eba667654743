import type { Type } from "./type.ts";

/**
 * The JavaScript form of the language's values:
 *
 * | CEL | JavaScript |
 * |---|---|
 * | null, bool, string | the same; indexes and sizes of strings count code points |
 * | int | a number if it is a safe integer, otherwise a bigint (`integers.ts`) |
 * | uint, double | `Uint`, `Double` |
 * | bytes | `Uint8Array` |
 * | list, map | `CelList`, `CelMap`: abstract, so that they can wrap JSON without conversion |
 * | timestamp, duration, optional, type | `Timestamp`, `Duration`, `Optional`, `Type` |
 * | everything else | a subclass of `CelObject` |
 *
 * Values are immutable. An error is a `CelError`, which is passed on like a value, because `&&` and `||` can
 * still discard it.
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

/** The error of an evaluation. The messages are cel-go's. */
export class CelError {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** The error for arguments that no overload of a function accepts. */
export const noSuchOverload = new CelError("no such overload");

/** An unsigned 64-bit integer, in the same form as an int. */
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

/** A timestamp between the years 1 and 9999, with `nanos` in [0, 1e9). */
export class Timestamp {
  /** Seconds since 1970 in UTC. */
  readonly seconds: number;
  readonly nanos: number;
  /** The offset east of UTC in seconds. It is only used in the text form, which keeps the written offset. */
  readonly offset: number;

  constructor(seconds: number, nanos: number, offset = 0) {
    this.seconds = seconds;
    this.nanos = nanos;
    this.offset = offset;
  }
}

/** A duration in nanoseconds within 64 bits, in the same form as an int. */
export class Duration {
  readonly nanos: Int;

  constructor(nanos: Int) {
    this.nanos = nanos;
  }
}

export class Optional {
  static readonly none = new Optional(undefined);
  /** Undefined without a value. */
  readonly value: Value | undefined;

  private constructor(value: Value | undefined) {
    this.value = value;
  }

  static of(value: Value): Optional {
    return new Optional(value);
  }
}

/** A list. Elements may be made on access, which can fail. */
export abstract class CelList {
  abstract readonly size: number;
  /** `index` is an integer in [0, size). */
  abstract at(index: number): Result;

  /** Overrides element-wise equality, for sets (`x-kubernetes-list-type`). The argument is never null. */
  equals?(other: Value): boolean | CelError;
  /** Overrides plain concatenation. */
  concat?(other: CelList): Result;

  *[Symbol.iterator](): Generator<Result> {
    for (let i = 0; i < this.size; i++) yield this.at(i);
  }
}

/** A map with keys of type bool, int, uint or string. A double matches the equal integer key. */
export abstract class CelMap {
  abstract readonly size: number;
  /** Undefined when the key is absent. */
  abstract get(key: Value): Result | undefined;
  /** Overrides `key in map`, for maps that have values for absent keys. */
  has?(key: Value): boolean;
  abstract keys(): Iterable<Value>;
  /** Overrides key-wise equality. The argument is never null. */
  equals?(other: Value): boolean | CelError;
}

/** A value of a type outside of the language: an authorizer, a quantity, an object under construction. */
export abstract class CelObject {
  abstract readonly type: Type;
  abstract equals(other: Value): boolean | CelError;

  /** A field's value; undefined when it is not set. */
  field(_name: string): Result | undefined {
    return undefined;
  }

  /** The value of `object.name`. Some objects have values for unset fields. */
  read(name: string): Result | undefined {
    return this.field(name);
  }

  /** The size that costs depend on; 1 for values of fixed size. */
  get size(): number {
    return 1;
  }
}
