import { Type } from "./type.ts";
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

export const any = new Type<Value>("any", "google.protobuf.Any");
export const bool = new Type<boolean>("bool", "bool");
export const bytes = new Type<Uint8Array>("bytes", "bytes");
export const double = new Type<Double>("double", "double");
export const duration = new Type<Duration>("duration", "google.protobuf.Duration");
export const dyn = new Type<Value>("dyn", "dyn");
/** The type of an invalid expression. It is accepted everywhere, so that one mistake is reported once. */
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
/** A type parameter, which is the same type throughout one overload. */
export const parameter = (name: string) => new Type<Value>("parameter", name);
/** A type with named fields, which a `TypeProvider` defines. */
export const objectType = <V extends Value = CelObject | CelMap>(name: string) => new Type<V>("object", name);
/** A type without fields. Only functions can use its values. */
export const opaque = <V extends CelObject>(name: string, ...parameters: Type[]) =>
  new Type<V>("opaque", name, parameters);
export const nullable = (type: Type) => new Type(type.kind, type.name, type.parameters, true);

export const isDyn = ({ kind }: Type) => kind === "dyn" || kind === "any";

/** The value's type if the type is optional. */
export function unwrapOptional(type: Type): Type | undefined {
  return type.kind === "opaque" && type.name === "optional_type" ? type.parameters[0] : undefined;
}

/**
 * Reports whether two types are equal, including their parameters. Type parameters are equal if their names
 * are; with `loosely`, always.
 */
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

/** The parameter of a list, an optional or a type; the key type of a map. `dyn` by default. */
export const firstParameter = (type: Type): Type => type.parameters[0] ?? dyn;
export const secondParameter = (type: Type): Type => type.parameters[1] ?? dyn;
