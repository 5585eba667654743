import { bounded, BudgetExceeded, spend } from "./effort.ts";
import { formatValue } from "./format-value.ts";
import { integer } from "./integers.ts";
import { formatDuration, formatTimestamp } from "./time.ts";
import {
  CelError,
  CelList,
  CelMap,
  type CelObject,
  Double,
  Duration,
  Optional,
  type Result,
  Timestamp,
  Uint,
  type Value,
} from "./values.ts";
import { isObject } from "../util/is-object.ts";

/**
 * Wraps JSON without a schema. Lists and maps are not copied, so unread parts cost nothing. Whole numbers are
 * ints and other numbers doubles, as Kubernetes reads its objects.
 */
export function fromJson(json: unknown): Value {
  switch (typeof json) {
    case "boolean":
    case "string":
      return json;
    case "bigint":
      return integer(json);
    case "number":
      return Number.isSafeInteger(json) ? json : new Double(json);
  }
  if (Array.isArray(json)) return new JsonList(json);
  return isObject(json) ? new JsonMap(json) : null;
}

class JsonList extends CelList {
  readonly #items: readonly unknown[];

  constructor(items: readonly unknown[]) {
    super();
    this.#items = items;
  }

  override get size(): number {
    return this.#items.length;
  }

  override at(index: number): Result {
    return fromJson(this.#items[index]);
  }
}

class JsonMap extends CelMap {
  readonly #properties: Readonly<Record<string, unknown>>;

  constructor(properties: Readonly<Record<string, unknown>>) {
    super();
    this.#properties = properties;
  }

  override get size(): number {
    return Object.keys(this.#properties).length;
  }

  override get(key: Value): Result | undefined {
    if (typeof key !== "string" || !Object.hasOwn(this.#properties, key)) return undefined;
    const value = this.#properties[key];
    return value === undefined ? undefined : fromJson(value);
  }

  override keys(): Iterable<Value> {
    return Object.keys(this.#properties);
  }
}

/** Thrown when a value has no JSON form. */
export class UnrepresentableError extends Error {
  override readonly name = "UnrepresentableError";
}

/**
 * Converts a value to JSON. Unsafe integers are bigints, bytes are base64, durations and timestamps are
 * strings. @throws UnrepresentableError
 */
export function toJson(value: Value): unknown {
  try {
    return bounded(() => convert(value));
  } catch (error) {
    if (!(error instanceof BudgetExceeded)) throw error;
    throw new UnrepresentableError("Cannot convert to JSON: the value is too large", { cause: error });
  }
}

function convert(value: Value): unknown {
  if (value === null || typeof value !== "object") return value;
  spend(1);
  if (value instanceof Double || value instanceof Uint) return value.value;
  if (value instanceof CelList) return Array.from(value, resultToJson);
  if (value instanceof CelMap) return mapToJson(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return formatDuration(value);
  if (value instanceof Optional) return value.value === undefined ? null : convert(value.value);
  throw new UnrepresentableError(`Cannot convert to JSON: a value of type ${typeName(value)}`);
}

const typeName = (value: CelObject | { readonly name: string }) =>
  "name" in value ? "type" : value.type.name;

function resultToJson(result: Result): unknown {
  if (result instanceof CelError) throw new UnrepresentableError(`Cannot convert to JSON: ${result.message}`);
  return convert(result);
}

function mapToJson(map: CelMap): Record<string, unknown> {
  const properties: [string, unknown][] = [];
  for (const key of map.keys()) {
    const name = formatValue(key);
    properties.push([name, resultToJson(map.get(key) ?? null)]);
  }
  return Object.fromEntries(properties);
}
