import type {
  CelList,
  CelMap,
  CelObject,
  Double,
  Duration,
  Int,
  Optional,
  Timestamp,
  Uint,
  Value,
} from "./values.ts";

export type Kind =
  | "any"
  | "bool"
  | "bytes"
  | "double"
  | "duration"
  | "dyn"
  | "error"
  | "int"
  | "list"
  | "map"
  | "null"
  | "object"
  | "opaque"
  | "parameter"
  | "string"
  | "timestamp"
  | "type"
  | "uint";

/**
 * A type of the language; also a value of it (`type(1) == int`). `V` is how its values are held, which lets
 * the compiler check the functions of a library against their declarations.
 */
export class Type<out V extends Value = Value> {
  declare readonly holds: V;
  readonly kind: Kind;
  /** The name at run time, without parameters: `list`, `google.protobuf.Duration`. */
  readonly name: string;
  readonly parameters: readonly Type[];
  /** Whether null is one of its values, as of protobuf's wrapper messages. */
  readonly nullable: boolean;
  /** How many types it is made of, counted as often as they are written. */
  readonly parts: number;
  /** Whether type parameters are among its parts. */
  readonly open: boolean;
  #text: string | undefined;

  constructor(kind: Kind, name: string, parameters: readonly Type[] = [], nullable = false) {
    this.kind = kind;
    this.name = name;
    this.parameters = parameters;
    this.nullable = nullable;
    this.parts = parameters.reduce((total, { parts }) => total + parts, 1);
    this.open = kind === "parameter" || parameters.some(({ open }) => open);
  }

  /** As cel-go's checker prints it. */
  get text(): string {
    return (this.#text ??= this.#print());
  }

  #print(): string {
    if (["any", "duration", "null", "timestamp"].includes(this.kind)) return this.kind;
    if (this.kind === "error") return "!error!";
    if (this.parameters.length > 0)
      return `${this.name}(${this.parameters.map(({ text }) => text).join(", ")})`;
    return this.nullable ? `wrapper(${this.name})` : this.name;
  }

  /** As cel-go prints it elsewhere (`Type.String`). */
  get declaration(): string {
    if (this.parameters.length > 0) {
      return `${this.name}(${this.parameters.map(({ declaration }) => declaration).join(", ")})`;
    }
    return this.nullable ? `wrapper(${this.name})` : this.name;
  }
}

export const any = new Type("any", "google.protobuf.Any");
export const bool = new Type<boolean>("bool", "bool");
export const bytes = new Type<Uint8Array>("bytes", "bytes");
export const double = new Type<Double>("double", "double");
export const duration = new Type<Duration>("duration", "google.protobuf.Duration");
export const dyn = new Type("dyn", "dyn");
/** Of an expression that has no type; accepted everywhere, so that one mistake is reported once. */
export const errorType = new Type("error", "error");
export const int = new Type<Int>("int", "int");
export const nullType = new Type<null>("null", "null_type");
export const string = new Type<string>("string", "string");
export const timestamp = new Type<Timestamp>("timestamp", "google.protobuf.Timestamp");
export const typeType = new Type<Type>("type", "type");
export const uint = new Type<Uint>("uint", "uint");

export const listOf = (element: Type) => new Type<CelList>("list", "list", [element]);
export const mapOf = (key: Type, value: Type) => new Type<CelMap>("map", "map", [key, value]);
export const optionalOf = (value: Type) => new Type<Optional>("opaque", "optional_type", [value]);
export const typeOf = (type: Type) => new Type<Type>("type", "type", [type]);
/** Stands for any type, the same throughout one overload. */
export const parameter = (name: string) => new Type("parameter", name);
/** A type with named fields, which a `TypeProvider` knows. */
export const objectType = <V extends Value = CelObject | CelMap>(name: string) => new Type<V>("object", name);
/** A type without fields whose values only functions understand. */
export const opaque = <V extends CelObject>(name: string, ...parameters: Type[]) =>
  new Type<V>("opaque", name, parameters);
export const nullable = (type: Type) => new Type(type.kind, type.name, type.parameters, true);

export const isDyn = ({ kind }: Type) => kind === "dyn" || kind === "any";

/** The value's type when the type is optional. */
export function unwrapOptional(type: Type): Type | undefined {
  return type.kind === "opaque" && type.name === "optional_type" ? type.parameters[0] : undefined;
}

/** The same type, parameters included. Type parameters are the same when their names are, or `loosely` always. */
export function sameType(a: Type, b: Type, loosely = false): boolean {
  if (a === b) return true;
  if (a.parts !== b.parts || a.open !== b.open) return false;
  if (a.kind !== b.kind || a.parameters.length !== b.parameters.length) return false;
  if (a.name !== b.name && !(loosely && a.kind === "parameter")) return false;
  return a.parameters.every((own, i) => {
    const other = b.parameters[i];
    return other !== undefined && sameType(own, other, loosely);
  });
}

/** What a list's, an optional's or a type's parameter is; the first of a map's two. `dyn` where none is given. */
export const firstParameter = (type: Type): Type => type.parameters[0] ?? dyn;
export const secondParameter = (type: Type): Type => type.parameters[1] ?? dyn;
