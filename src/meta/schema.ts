/**
 * The schema language: every kind is written in it once, as plain values, and everything else derives from
 * them: static types, defaults, pruning, validation, protobuf, OpenAPI, patch and apply semantics.
 *
 *     export const ContainerPort = message("ContainerPort", "A port that a container listens on.", {
 *       name: optional(1, string, "A name, unique in the Pod, for Services to refer to."),
 *       containerPort: required(3, int32, "The port number in the container."),
 *       protocol: optional(4, oneOf("SCTP", "TCP", "UDP"), "The transport.", { default: "TCP" }),
 *     });
 *     export type ContainerPort = Out<typeof ContainerPort>;
 *
 * A field's presence follows the Go type behind the wire format, because that decides which zero values
 * are seen:
 *
 * | constructor | Go | on the wire |
 * |---|---|---|
 * | `required` | value, no omitempty | always there, also when zero |
 * | `optional` | value, omitempty | absent when zero; a message is always there |
 * | `pointer`  | pointer | there when set, also when set to zero |
 * | `inline`   | embedded struct | JSON: its fields stand in the outer object; protobuf: a message of its own |
 */

declare const out: unique symbol;
declare const input: unique symbol;

/** Carries the two static types of a schema: what readers get, and what writers may give. */
interface Typed<O, I> {
  readonly [out]?: O;
  readonly [input]?: I;
}

/** What a decoded value looks like: deep-readonly, zero-filled where upstream always shows a value. */
export type Out<T> = T extends Typed<infer O, infer _> ? O : never;
/** What a writer may give: values that have a zero may be left out. */
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
  /** The values allowed, for documentation and validation. Absent: any. */
  readonly enum?: readonly string[];
  /** Set for quantities that are rounded up to thousandths. */
  readonly thousandths?: true;
  /** Set for JSON that is of one of several types. */
  readonly union?: UnionForm;
}

/** How protobuf holds JSON of one of several types: in a message that has a field for each type. */
export interface UnionForm {
  /** Called at first use, so that it may refer to itself. */
  readonly message: () => MessageType;
  /** The fields that a JSON value stands for. @throws DecodeError */
  readonly split: (value: unknown) => Readonly<Record<string, unknown>>;
  /** The other way round; undefined where no field is set. */
  readonly join: (fields: Readonly<Record<string, unknown>>) => unknown;
}

export interface ListType<O = unknown, I = unknown> extends Typed<readonly O[], readonly I[]> {
  readonly kind: "list";
  readonly of: Type;
  /** How server-side apply and strategic merge see the list: as one value, as a set, or as a map by `keys`. */
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
  /** The OpenAPI definition's name, e.g. `io.k8s.api.core.v1.Pod`. */
  readonly name: string;
  readonly doc: string;
  /** By JSON name, inline messages flattened. */
  readonly fields: ReadonlyMap<string, Field>;
  /** As declared: what protobuf sees. */
  readonly declared: ReadonlyMap<string, Field>;
  /** Server-side apply treats the whole message as one value. */
  readonly atomic: boolean;
  /** An object of a kind of its own, which may say so wherever it stands: with `apiVersion` and `kind`. */
  readonly typed?: true;
  /** Fields that are not declared may hold anything, and are kept. */
  readonly open: boolean;
  /** Set where the schema was written in another language: the message says no more than server-side apply must know. */
  readonly foreign?: ForeignSchema;
}

/** A schema in another language, for the objects of custom resources. */
export interface ForeignSchema {
  /** Takes the decoder's place. The result is new, and has neither `apiVersion` nor `kind`. @throws DecodeError */
  readonly decode: (value: unknown, report?: DecodeReport) => Record<string, unknown>;
  /** The schema object in OpenAPI's language; undefined where nothing is known. */
  readonly openApi: Readonly<Record<string, unknown>> | undefined;
}

/** What a decoder saw of its input, for those who want to know. */
export interface DecodeReport {
  /** Paths of fields that the schema does not have, the first hundred or so in order of appearance. */
  readonly unknown: string[];
  /** How many keys the input's objects have in all: fewer than its text shows when some were duplicates. */
  keys: number;
}

/** A message that refers to itself, resolved at first use. The only place where a type must be written out. */
export interface LazyType<O = unknown, I = O> extends Typed<O, I> {
  readonly kind: "lazy";
  readonly get: () => Type;
}

export type Type = ScalarType | ListType | MapType | MessageType | LazyType;

export type Presence = "required" | "optional" | "pointer" | "inline";

export interface FieldOptions {
  /** Set when the field is absent. A function makes a fresh value, for lists and objects. */
  readonly default?: unknown;
  /** Strategic merge: lists are merged by this key (objects) or as sets (`true`, scalars). */
  readonly merge?: string | true;
  /** Strategic merge: fields that a patch does not name may be dropped (`$retainKeys`). */
  readonly retainKeys?: true;
  /** Strategic merge: an object that a patch replaces, where others are merged. */
  readonly replace?: true;
}

export interface Field<T extends Type = Type, P extends Presence = Presence> extends FieldOptions {
  /** The protobuf field number; 0 for a field that protobuf does not carry. */
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
/** The amount of a resource: the same, rounded up to thousandths. */
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
/** Any JSON object, kept as it is. */
export const rawExtension = scalar<Readonly<Record<string, unknown>>>("rawExtension");
/** Any JSON value, kept as it is. */
export const json = scalar<unknown>("json");

/** JSON of one of several types, told apart by what it looks like. */
export function union<O>(form: UnionForm): ScalarType<O> {
  return { kind: "scalar", name: "json", union: form };
}

/** A string out of a fixed set, listed as upstream's error messages list it: in alphabetical order. */
export function oneOf<const V extends readonly string[]>(...values: V): ScalarType<V[number]> {
  return { kind: "scalar", name: "string", enum: values };
}

/**
 * A string of known values that no document lists, because upstream's type has no `+enum`: validation alone refuses
 * others.
 */
export function stringOf<V extends string>(): ScalarType<V> {
  return scalar<V>("string");
}

/** A list that is replaced as a whole. */
export function list<T extends Type>(of: T): ListType<Out<T>, In<T>> {
  return { kind: "list", of, semantics: "atomic", keys: [] };
}

/** A list of distinct scalars whose members have owners of their own. */
export function set<T extends Type>(of: T): ListType<Out<T>, In<T>> {
  return { kind: "list", of, semantics: "set", keys: [] };
}

/** A list of objects told apart by `keys`; members and their fields have owners of their own. */
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

/** Keys whose value is always there once decoded: required ones, and messages held by value. */
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
 * Makes the `message` constructor of one API package, so that names need no prefix.
 *
 * A large message that others refer to is exported under an interface of its own (`ObjectMeta`, `PodSpec`): a
 * declaration names an interface, and writes out every field of an inferred type wherever it is used.
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

/** Go keeps an embedded struct's fields where it stands; so do we, because that fixes the order of keys. */
function flatten(declared: Fields): ReadonlyMap<string, Field> {
  const fields = new Map<string, Field>();
  for (const [name, field] of Object.entries(declared)) {
    const { type } = field;
    if (field.presence !== "inline" || type.kind !== "message") fields.set(name, field);
    else for (const [inner, innerField] of type.fields) fields.set(inner, innerField);
  }
  return fields;
}

/** Follows lazy references. */
export function resolve(type: Type): Exclude<Type, LazyType> {
  let current = type;
  while (current.kind === "lazy") current = current.get();
  return current;
}

/** Deep-writable: a draft under construction, before it is frozen and shared. */
export type Draft<T> = T extends string | number | boolean | undefined | null
  ? T
  : T extends readonly (infer E)[]
    ? Draft<E>[]
    : { -readonly [K in keyof T]: Draft<T[K]> };
