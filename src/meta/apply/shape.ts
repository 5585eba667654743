import { isObject } from "../../util/is-object.ts";
import { zeroScalar } from "../decode.ts";
import { toJson } from "../json.ts";
import {
  type Field,
  type ListType,
  type MessageType,
  resolve,
  type ScalarType,
  type Type,
} from "../schema.ts";

/** A type from the view of field ownership: the parts with their own owners, and their path elements. */
export type Shape = LeafShape | StructShape | MapShape | SetShape | KeyedShape | AnyShape;

/** One value with one owner: a scalar, or an atomic value. */
export interface LeafShape {
  readonly kind: "leaf";
}

export interface StructShape {
  readonly kind: "struct";
  readonly fields: ReadonlyMap<string, FieldShape>;
  /** Set when undeclared fields are allowed. These names are excluded, because they have no owner. */
  readonly open?: ReadonlySet<string>;
}

export interface MapShape {
  readonly kind: "map";
  readonly of: Shape;
}

/** A list of distinct scalars. */
export interface SetShape {
  readonly kind: "set";
}

interface KeyShape {
  readonly name: string;
  /** The beginning of the path element: `"name":`. */
  readonly label: string;
  readonly fallback: unknown;
}

export interface KeyedShape {
  readonly kind: "keyed";
  /** The keys, sorted by name, each with the value for items without it. */
  readonly keys: readonly KeyShape[];
  readonly of: Shape;
}

/** Any JSON: objects are maps of such values, other values are leaves. */
export interface AnyShape {
  readonly kind: "any";
}

/** A field of a struct. Its shape is made at first use, because messages can contain themselves. */
export class FieldShape {
  /** The field's path element. */
  readonly element: string;
  readonly field: Field;
  #shape: Shape | undefined;

  constructor(name: string, field: Field, shape?: Shape) {
    this.element = `f:${name}`;
    this.field = field;
    this.#shape = shape;
  }

  get shape(): Shape {
    this.#shape ??= shapeOf(this.field.type);
    return this.#shape;
  }
}

const leafShape: LeafShape = { kind: "leaf" };

const anyShape: AnyShape = { kind: "any" };

const anyMap: MapShape = { kind: "map", of: anyShape };

const setShape: SetShape = { kind: "set" };

const shapes = new WeakMap<object, Shape>();

export function shapeOf(lazyType: Type): Shape {
  const type = resolve(lazyType);
  let shape = shapes.get(type);
  if (shape === undefined) {
    shape = makeShape(type);
    shapes.set(type, shape);
  }
  return shape;
}

function makeShape(type: Exclude<Type, { kind: "lazy" }>): Shape {
  switch (type.kind) {
    case "scalar":
      return holdsJson(type) ? anyShape : leafShape;
    case "list":
      return listShape(type);
    case "map":
      return type.atomic ? leafShape : { kind: "map", of: shapeOf(type.of) };
    case "message":
      return type.atomic ? leafShape : structShape(type);
  }
}

function holdsJson({ name }: ScalarType): boolean {
  return name === "json" || name === "rawExtension" || name === "fieldsV1";
}

const nothing: ReadonlySet<string> = new Set();

export function structShape(type: MessageType): StructShape {
  const fields = new Map([...type.fields].map(([name, field]) => [name, new FieldShape(name, field)]));
  return type.open ? { kind: "struct", fields, open: nothing } : { kind: "struct", fields };
}

/** The element and shape of one key; undefined for an unknown key. */
export function partOf(
  shape: StructShape | MapShape,
  key: string,
): { readonly element: string; readonly shape: Shape } | undefined {
  if (shape.kind === "map") return { element: `f:${key}`, shape: shape.of };
  const field = shape.fields.get(key);
  if (field !== undefined || shape.open === undefined || shape.open.has(key)) return field;
  return { element: `f:${key}`, shape: anyShape };
}

function listShape(type: ListType): Shape {
  if (type.semantics === "atomic") return leafShape;
  if (type.semantics === "set") return setShape;
  const item = resolve(type.of);
  const keys = type.keys.toSorted().map((name) => ({
    name,
    label: `${JSON.stringify(name)}:`,
    fallback: item.kind === "message" ? fallbackOf(item.fields.get(name)) : undefined,
  }));
  // An atomic item is identified by its keys. The item has owners, its parts have none.
  return { kind: "keyed", keys, of: shapeOf(item) };
}

function fallbackOf(field: Field | undefined): unknown {
  if (field?.default !== undefined) return field.default;
  return field?.presence === "required" ? zeroScalar(field.type) : undefined;
}

/** The shape of an arbitrary JSON value. */
export function concrete(shape: Shape, value: unknown): Exclude<Shape, AnyShape> {
  if (shape.kind !== "any") return shape;
  return isObject(value) ? anyMap : leafShape;
}

/** The path element of a list item; undefined when the item has none. */
export function itemElement(shape: SetShape | KeyedShape, item: unknown): string | undefined {
  if (shape.kind === "set") {
    return typeof item === "object" ? undefined : `v:${toJson(item)}`;
  }
  if (!isObject(item)) return undefined;
  let keys = "";
  for (const { name, label, fallback } of shape.keys) {
    const value = keyValue(item, name) ?? fallback;
    if (value !== undefined) keys += `${keys === "" ? "" : ","}${label}${toJson(value)}`;
  }
  return keys === "" ? undefined : `k:{${keys}}`;
}

/** The value of a key. A custom resource may name a key like a method of objects. */
export function keyValue(item: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(item, name) ? item[name] : undefined;
}

/** The shape and field of an element; undefined beyond the schema. */
export function descend(shape: Shape | undefined, element: string): Shape | undefined {
  switch (shape?.kind) {
    case "struct":
      return partOf(shape, element.slice(2))?.shape;
    case "map":
    case "keyed":
      return shape.of;
    case "any":
      return element.startsWith("f:") ? shape : undefined;
    default:
      return undefined;
  }
}
