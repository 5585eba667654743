/**
 * The schema language. Every kind is written in it once, as plain values. Static types, defaults, pruning,
 * validation, protobuf, OpenAPI, patch and apply semantics are derived from these values.
 *
 *     export const ContainerPort = message("ContainerPort", "A port that a container listens on.", {
 *       name: optional(1, string, "A name, unique in the Pod, for Services to refer to."),
 *       containerPort: required(3, int32, "The port number in the container."),
 *       protocol: optional(4, oneOf("SCTP", "TCP", "UDP"), "The transport protocol.", { default: "TCP" }),
 *     });
 *     export type ContainerPort = Out<typeof ContainerPort>;
 *
 * A field's presence follows the Go type behind the wire format, because the Go type decides which zero
 * values clients see:
 *
 * | constructor | Go | on the wire |
 * |---|---|---|
 * | `required` | value, no omitempty | always present, even if zero |
 * | `optional` | value, omitempty | absent if zero; a message is always present |
 * | `pointer`  | pointer | present if set, even if set to zero |
 * | `inline`   | embedded struct | JSON: its fields are in the outer object; protobuf: a separate message |
 */

declare const out: unique symbol;
declare const input: unique symbol;

/** Carries the two static types of a schema: for readers and for writers. */
interface Typed<O, I> {
  readonly [out]?: O;
  readonly [input]?: I;
}

/** The type of a decoded value: deep-readonly, with zero values where upstream always shows a value. */
export type Out<T> = T extends Typed<infer O, infer _> ? O : never;
/** The type of a writer's value: fields with a zero value are optional. */
export type In<T> = T extends Typed<infer _, infer I> ? I : never;

export type ScalarName =
  | "string"
  | "boolean"
  | "int32"
  | "int64"
  | "double"
  | "bytes"
  | "quantity"
  | "intOrString"
  | "time"
  | "microTime"
  | "duration"
  | "fieldsV1"
  | "rawExtension"
  | "json";

export interface ScalarType<O = unknown> extends Typed<O, O> {
  readonly kind: "scalar";
  readonly name: ScalarName;
  /** The allowed values; any value when absent. */
  readonly enum?: readonly string[];
  /** Set for quantities that are rounded up to thousandths. */
  readonly thousandths?: true;
  /** Set for JSON of one of several types. */
  readonly union?: UnionForm;
}

/** The protobuf form of JSON of one of several types: a message with a field for each type. */
export interface UnionForm {
  /** Called at first use, because the message may contain itself. */
  readonly message: () => MessageType;
  /** The message's fields for a JSON value. @throws DecodeError */
  readonly split: (value: unknown) => Readonly<Record<string, unknown>>;
  /** The JSON value for the message's fields; undefined when no field is set. */
  readonly join: (fields: Readonly<Record<string, unknown>>) => unknown;
}

export interface ListType<O = unknown, I = unknown> extends Typed<readonly O[], readonly I[]> {
  readonly kind: "list";
  readonly of: Type;
  /**
   * The merge semantics of the list in server-side apply and strategic merge: one value, a set, or a map by
   * `keys`.
   */
  readonly semantics: "atomic" | "set" | "map";
  readonly keys: readonly string[];
}

export interface MapType<O = unknown, I = unknown> extends Typed<
  Readonly<Record<string, O>>,
  Readonly<Record<string, I>>
> {
  readonly kind: "map";
  readonly of: Type;
  readonly atomic: boolean;
}

export interface MessageType<O = unknown, I = unknown> extends Typed<O, I> {
  readonly kind: "message";
  /** The name of the OpenAPI definition, such as `io.k8s.api.core.v1.Pod`. */
  readonly name: string;
  readonly doc: string;
  /** The fields by JSON name, with inline messages flattened. */
  readonly fields: ReadonlyMap<string, Field>;
  /** The fields as declared, for protobuf. */
  readonly declared: ReadonlyMap<string, Field>;
  /** Server-side apply treats the whole message as one value. */
  readonly atomic: boolean;
  /** An embedded object of another kind, which may have `apiVersion` and `kind`. */
  readonly typed?: true;
  /** True when undeclared fields are allowed and kept. */
  readonly open: boolean;
  /**
   * Set when the schema was written in another language. The message then contains only the information for
   * server-side apply.
   */
  readonly foreign?: ForeignSchema;
}

/** A schema in another language, for the objects of custom resources. */
export interface ForeignSchema {
  /** Replaces the decoder. The result is new, without `apiVersion` and `kind`. @throws DecodeError */
  readonly decode: (value: unknown, report?: DecodeReport) => Record<string, unknown>;
  /** The schema in OpenAPI; undefined when there is none. */
  readonly openApi: Readonly<Record<string, unknown>> | undefined;
}

/** The observations of a decoder about its input. */
export interface DecodeReport {
  /** The paths of unknown fields, about the first hundred, in the order of the input. */
  readonly unknown: string[];
  /** The number of keys of all objects in the input. The text has more keys if it contains duplicates. */
  keys: number;
}

/**
 * A reference that is resolved at first use, for messages that contain themselves. Only such types must be
 * written out.
 */
export interface LazyType<O = unknown, I = O> extends Typed<O, I> {
  readonly kind: "lazy";
  readonly get: () => Type;
}

export type Type = ScalarType | ListType | MapType | MessageType | LazyType;

export type Presence = "required" | "optional" | "pointer" | "inline";

export interface FieldOptions {
  /** The value of an absent field. A function makes a new value, for lists and objects. */
  readonly default?: unknown;
  /** Strategic merge: the list is merged by this key (objects) or as a set (`true`, scalars). */
  readonly merge?: string | true;
  /** Strategic merge: fields that a patch does not name may be dropped (`$retainKeys`). */
  readonly retainKeys?: true;
  /** Strategic merge: the patch replaces the object instead of merging it. */
  readonly replace?: true;
}

export interface Field<T extends Type = Type, P extends Presence = Presence> extends FieldOptions {
  /** The protobuf field number; 0 for a field without protobuf form. */
  readonly number: number;
  readonly type: T;
  readonly presence: P;
  readonly doc: string;
}

function scalar<O>(name: ScalarName): ScalarType<O> {
  return { kind: "scalar", name };
}

export const string = scalar<string>("string");
export const boolean = scalar<boolean>("boolean");
export const int32 = scalar<number>("int32");
export const int64 = scalar<number>("int64");
/** Base64 in JSON. */
export const bytes = scalar<string>("bytes");
/** A decimal with a suffix, such as `100m` or `1Gi`; canonical once decoded. */
export const quantity = scalar<string>("quantity");
/** The amount of a resource: a quantity that is rounded up to thousandths. */
export const amount: ScalarType<string> = { ...quantity, thousandths: true };
export const intOrString = scalar<number | string>("intOrString");
/** RFC 3339 in UTC, whole seconds. */
export const time = scalar<string>("time");
/** RFC 3339 in UTC with six fractional digits. */
export const microTime = scalar<string>("microTime");
/** A Go duration such as `1m30s`. */
export const duration = scalar<string>("duration");
/** The set of fields that a manager owns, as nested `f:`, `k:`, `v:` and `i:` keys. */
export const fieldsV1 = scalar<Readonly<Record<string, unknown>>>("fieldsV1");
/** Any JSON object, unchanged. */
export const rawExtension = scalar<Readonly<Record<string, unknown>>>("rawExtension");
/** Any JSON value, unchanged. */
export const json = scalar<unknown>("json");

/** JSON of one of several types, which are distinguished by their JSON form. */
export function union<O>(form: UnionForm): ScalarType<O> {
  return { kind: "scalar", name: "json", union: form };
}

/** A string out of a fixed set, in the alphabetical order of upstream's error messages. */
export function oneOf<const V extends readonly string[]>(...values: V): ScalarType<V[number]> {
  return { kind: "scalar", name: "string", enum: values };
}

/**
 * A string of known values that OpenAPI does not list, because upstream's type has no `+enum`. Only
 * validation refuses other values.
 */
export function stringOf<V extends string>(): ScalarType<V> {
  return scalar<V>("string");
}

/** A list that is replaced as a whole. */
export function list<T extends Type>(of: T): ListType<Out<T>, In<T>> {
  return { kind: "list", of, semantics: "atomic", keys: [] };
}

/** A list of distinct scalars. Each item has its own owners. */
export function set<T extends Type>(of: T): ListType<Out<T>, In<T>> {
  return { kind: "list", of, semantics: "set", keys: [] };
}

/** A list of objects identified by `keys`. Items and their fields have their own owners. */
export function keyed<T extends Type>(of: T, ...keys: readonly string[]): ListType<Out<T>, In<T>> {
  return { kind: "list", of, semantics: "map", keys };
}

export function map<T extends Type>(of: T): MapType<Out<T>, In<T>> {
  return { kind: "map", of, atomic: false };
}

/** A map that is replaced as a whole. */
export function atomicMap<T extends Type>(of: T): MapType<Out<T>, In<T>> {
  return { kind: "map", of, atomic: true };
}

export function lazy<O, I = O>(get: () => Type): LazyType<O, I> {
  return { kind: "lazy", get };
}

function field<P extends Presence>(presence: P) {
  return <T extends Type>(number: number, type: T, doc: string, options: FieldOptions = {}): Field<T, P> => ({
    number,
    type,
    presence,
    doc,
    ...options,
  });
}

export const required = field("required");
export const optional = field("optional");
export const pointer = field("pointer");
export const inline = field("inline");

type Fields = Readonly<Record<string, Field>>;
type Simplify<T> = { [K in keyof T]: T[K] };
type IsMessage<T> = T extends { readonly kind: "message" } ? true : false;

/** Keys that are always present after decoding: required fields, and messages that are not pointers. */
type FilledKeys<F extends Fields> = {
  [K in keyof F]: F[K]["presence"] extends "required"
    ? K
    : F[K]["presence"] extends "optional"
      ? IsMessage<F[K]["type"]> extends true
        ? K
        : never
      : never;
}[keyof F];
type RequiredKeys<F extends Fields> = {
  [K in keyof F]: F[K]["presence"] extends "required"
    ? IsMessage<F[K]["type"]> extends true
      ? never
      : K
    : never;
}[keyof F];
type InlineKeys<F extends Fields> = {
  [K in keyof F]: F[K]["presence"] extends "inline" ? K : never;
}[keyof F];

type Union<U> = (U extends unknown ? (u: U) => void : never) extends (i: infer I) => void ? I : never;
type Inlined<F extends Fields, W extends "out" | "in"> = [InlineKeys<F>] extends [never]
  ? unknown
  : Union<W extends "out" ? Out<F[InlineKeys<F>]["type"]> : In<F[InlineKeys<F>]["type"]>>;

export type MessageOut<F extends Fields> = Simplify<
  { readonly [K in FilledKeys<F>]: Out<F[K]["type"]> } & {
    readonly [K in Exclude<keyof F, FilledKeys<F> | InlineKeys<F>>]?: Out<F[K]["type"]>;
  } & Inlined<F, "out">
>;
export type MessageIn<F extends Fields> = Simplify<
  { readonly [K in RequiredKeys<F>]: In<F[K]["type"]> } & {
    readonly [K in Exclude<keyof F, RequiredKeys<F> | InlineKeys<F>>]?: In<F[K]["type"]> | undefined;
  } & Inlined<F, "in">
>;

export interface MessageOptions {
  readonly atomic?: true;
  readonly typed?: true;
}

/**
 * Makes the `message` constructor of one API package, which adds the package to names.
 *
 * A large message that others refer to is exported as an interface (`ObjectMeta`, `PodSpec`): a type
 * declaration then refers to the interface instead of repeating all fields of the inferred type.
 */
export function messages(prefix: string) {
  return <const F extends Fields>(
    name: string,
    doc: string,
    declared: F,
    options: MessageOptions = {},
  ): MessageType<MessageOut<F>, MessageIn<F>> => ({
    kind: "message",
    name: `${prefix}.${name}`,
    doc,
    fields: flatten(declared),
    declared: new Map(Object.entries(declared)),
    atomic: options.atomic ?? false,
    ...(options.typed === true && { typed: true }),
    open: false,
  });
}

/**
 * Inserts the fields of inline messages at their position, as Go does for embedded structs. The position
 * determines the order of keys.
 */
function flatten(declared: Fields): ReadonlyMap<string, Field> {
  const fields = new Map<string, Field>();
  for (const [name, field] of Object.entries(declared)) {
    const { type } = field;
    if (field.presence !== "inline" || type.kind !== "message") fields.set(name, field);
    else for (const [inner, innerField] of type.fields) fields.set(inner, innerField);
  }
  return fields;
}

/** Resolves lazy references. */
export function resolve(type: Type): Exclude<Type, LazyType> {
  let current = type;
  while (current.kind === "lazy") current = current.get();
  return current;
}

/** A deep-writable type: a draft that is not yet frozen and shared. */
export type Draft<T> = T extends string | number | boolean | undefined | null
  ? T
  : T extends readonly (infer E)[]
    ? Draft<E>[]
    : { -readonly [K in keyof T]: Draft<T[K]> };

/** Returns a deep copy of a shared value, which may be changed in place. */
export function draftOf<T>(value: T): Draft<T> {
  // Safe: `Draft` removes only `readonly`, and nothing else refers to the copy.
  return copyOf(value) as Draft<T>;
}

/** Copies a JSON value, in a fifth of the time of `structuredClone`. */
function copyOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  const copy: Record<string, unknown> = { ...value };
  for (const key in copy) if (typeof copy[key] === "object") copy[key] = copyOf(copy[key]);
  return copy;
}
