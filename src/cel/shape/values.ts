import { deepEqual } from "../../util/deep-equal.ts";
import { equalResults } from "../equality.ts";
import { toJson, UnrepresentableError } from "../json.ts";
import { CelError, CelList, CelMap, noSuchOverload, type Result, type Value } from "../values.ts";
import { escapeName, unescapeName } from "./escaping.ts";
import type { ListShape, MapShape, ObjectShape, Shape } from "./shape.ts";
import { isObject } from "../../util/is-object.ts";

/**
 * Wraps JSON by its shape. Values are converted when an expression reads them, so unread parts are never
 * visited. Comparisons and sums follow upstream's (`pkg/cel/common/values.go`).
 */
export function readJson(json: unknown, shape: Shape): Result {
  if (json === null || json === undefined) {
    return shape.nullable ? null : new CelError("invalid data, got null for schema with nullable=false");
  }
  switch (shape.kind) {
    case "scalar":
      return shape.read(json);
    case "list":
      if (Array.isArray(json))
        return shape.order === "atomic" ? new ShapedList(json, shape) : new KeyedList(json, shape);
      return new CelError("invalid data, expected an array for the provided schema with type=array");
    default:
      if (isObject(json)) return new ShapedMap(json, shape);
      return new CelError("invalid data, expected a map for the provided schema with type=object");
  }
}

type Properties = Readonly<Record<string, unknown>>;

/** A map, or an object with the properties of its schema. In expressions, both are maps. */
class ShapedMap extends CelMap {
  readonly #json: Properties;
  readonly #shape: MapShape | ObjectShape;

  constructor(json: Properties, shape: MapShape | ObjectShape) {
    super();
    this.#json = json;
    this.#shape = shape;
  }

  /** Includes properties that the schema does not have. */
  override get size(): number {
    return Object.keys(this.#json).length;
  }

  override get(key: Value): Result | undefined {
    if (typeof key !== "string") return noSuchOverload;
    const shape = this.#shape;
    const property = shape.kind === "object" ? unescapeName(key) : key;
    if (property === undefined || !Object.hasOwn(this.#json, property)) return undefined;
    const json = this.#json[property];
    const known = this.#shapeOf(property);
    // A field that is null is absent, as in Kubernetes' objects. A map entry that is null is present.
    if (known === undefined || json === undefined || (json === null && shape.kind === "object"))
      return undefined;
    return readJson(json, known);
  }

  override *keys(): Iterable<Value> {
    for (const property of Object.keys(this.#json)) {
      if (this.#shapeOf(property) === undefined) continue;
      yield this.#shape.kind === "object" ? (escapeName(property) ?? property) : property;
    }
  }

  /** Properties without a shape are compared as JSON. */
  override equals(other: Value): boolean | CelError {
    if (!(other instanceof CelMap)) return noSuchOverload;
    if (this.size !== other.size) return false;
    for (const [property, json] of Object.entries(this.#json)) {
      const same =
        this.#shapeOf(property) === undefined
          ? other instanceof ShapedMap && other.#agrees(property, json)
          : sameResults(this.get(property), other.get(property));
      if (same !== true) return same;
    }
    return true;
  }

  #agrees(property: string, json: unknown): boolean {
    return !Object.hasOwn(this.#json, property) || deepEqual(json, this.#json[property]);
  }

  #shapeOf(property: string): Shape | undefined {
    return this.#shape.kind === "object" ? this.#shape.properties.get(property) : this.#shape.values;
  }
}

class ShapedList extends CelList {
  protected readonly items: readonly unknown[];
  protected readonly shape: ListShape;

  constructor(items: readonly unknown[], shape: ListShape) {
    super();
    this.items = items;
    this.shape = shape;
  }

  override get size(): number {
    return this.items.length;
  }

  override at(index: number): Result {
    return readJson(this.items[index], this.shape.items);
  }

  override equals(other: Value): boolean | CelError {
    if (!(other instanceof CelList)) return noSuchOverload;
    if (this.size !== other.size) return false;
    for (let i = 0; i < this.size; i++) {
      const same = equalResults(this.at(i), other.at(i));
      if (same !== true) return same;
    }
    return true;
  }
}

/** A set, or a list whose items have keys. The order is insignificant, and items are unique. */
class KeyedList extends ShapedList {
  override equals(other: Value): boolean | CelError {
    if (!(other instanceof CelList)) return noSuchOverload;
    if (this.size !== other.size) return false;
    const positions = new Map(this.items.map((item, i) => [this.#keyOf(item), i]));
    for (const element of other) {
      const item = jsonOf(element);
      if (item instanceof CelError) return item;
      const position = positions.get(this.#keyOf(item.json));
      if (position === undefined) return false;
      const same = this.shape.order === "set" || sameResults(this.at(position), element);
      if (same !== true) return same;
    }
    return true;
  }

  /** Adds a list. A set only adds new items; a list with keys replaces items with the same keys. */
  override concat(other: CelList): Result {
    const items = [...this.items];
    const positions = new Map(items.map((item, i) => [this.#keyOf(item), i]));
    for (const element of other) {
      const item = jsonOf(element);
      if (item instanceof CelError) return item;
      const key = this.#keyOf(item.json);
      const position = positions.get(key);
      if (position === undefined) positions.set(key, items.push(item.json) - 1);
      else if (this.shape.order !== "set") items[position] = item.json;
    }
    return new KeyedList(items, this.shape);
  }

  /** A key that is equal for items with the same identity. */
  #keyOf(item: unknown): unknown {
    const { order } = this.shape;
    if (typeof order === "string") return typeof item === "object" ? JSON.stringify(item) : item;
    const properties = isObject(item) ? item : {};
    return JSON.stringify(order.keys.map((key) => properties[key]));
  }
}

function jsonOf(element: Result): { readonly json: unknown } | CelError {
  if (element instanceof CelError) return element;
  try {
    return { json: toJson(element) };
  } catch (error) {
    if (!(error instanceof UnrepresentableError)) throw error;
    return new CelError(error.message);
  }
}

/** Compares two results. Absent results are equal. */
function sameResults(a: Result | undefined, b: Result | undefined): boolean | CelError {
  return a === undefined || b === undefined ? a === b : equalResults(a, b);
}
