import { canonicalMicroTime, canonicalTime, TimeError } from "./go-time.ts";
import { formatGoDuration, parseGoDuration } from "./protobuf/go-duration.ts";
import { canonicalAmount, canonicalQuantity, QuantityError, quantityShape } from "./quantity.ts";
import {
  type DecodeReport,
  type Field,
  type ListType,
  type MapType,
  type MessageType,
  resolve,
  type ScalarName,
  type ScalarType,
  type Type,
  type UnionForm,
} from "./schema.ts";
import { quoted } from "../util/go-quote.ts";
import { isObject } from "../util/is-object.ts";
import type { Kind, KubeObject } from "./kind.ts";

/**
 * Decodes any JSON value into the canonical object of a schema, in one walk. Unknown fields are pruned and
 * reported. Types are checked. Zero values are added or dropped as upstream's Go types do. Defaults of single
 * fields are set. Quantities and times get their canonical form. Fields are in the schema's order and map
 * keys are sorted, so equal objects have equal JSON.
 *
 * The result shares nothing with the input except the values of raw extensions.
 */
export function decode<O>(schema: MessageType<O>, value: unknown, report?: DecodeReport): O {
  const { foreign } = schema;
  const object =
    foreign === undefined ? decoderOf(schema)(value, new Walk(report)) : foreign.decode(value, report);
  // Safe: the static type of a schema describes the results of its decoder.
  return object as O;
}

/** Decodes an object of a kind, which gets the apiVersion and kind of the kind. */
export function objectOf<O extends object>(kind: Kind<O>, value: unknown): KubeObject<O> {
  // Safe: the schema of a kind includes the metadata.
  return { apiVersion: kind.apiVersion, kind: kind.kind, ...decode(kind.schema, value) } as KubeObject<O>;
}

/**
 * Thrown when a value does not fit the schema. The message is that of Go's decoder, on which clients may
 * depend.
 */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
}

type Decoder = (value: unknown, walk: Walk) => unknown;

/** A map key in the path. Go's decoder omits map keys. */
interface MapKey {
  readonly key: string;
}

/** The current path. It is only formatted for a message. */
class Walk {
  readonly report: DecodeReport | undefined;
  /** True when no further unknown field of this list can be reported, because the limit is reached. */
  isMuted = false;
  readonly path: (string | number | MapKey)[] = [];
  readonly structs: string[] = [];

  constructor(report: DecodeReport | undefined) {
    this.report = report;
  }

  /**
   * Formats the path: `spec.containers[0].name`. With `whole` false, it has Go's form of struct fields:
   * `spec.containers.name`.
   */
  where(whole: boolean): string {
    let text = "";
    for (const segment of this.path) {
      if (typeof segment === "string") text += text === "" ? segment : `.${segment}`;
      else if (whole) text += typeof segment === "number" ? `[${segment}]` : `.${segment.key}`;
    }
    return text;
  }

  mismatch(value: unknown, goType: string): DecodeError {
    const struct = this.structs.at(-1);
    const place = struct === undefined ? "Go value" : `Go struct field ${struct}.${this.where(false)}`;
    // Go shows a number only when it does not fit an integer.
    const isNumber = typeof value === "number" && (goType === "int32" || goType === "int64");
    const kind = isNumber ? `number ${value}` : jsonKind(value);
    return new DecodeError(`json: cannot unmarshal ${kind} into ${place} of type ${goType}`);
  }
}

function jsonKind(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/** The decoder of each type. */
const decoders = new WeakMap<object, Decoder>();

function decoderOf(type: Type): Decoder {
  let decoder = decoders.get(type);
  if (decoder === undefined) {
    decoder = makeDecoder(type);
    decoders.set(type, decoder);
  }
  return decoder;
}

function makeDecoder(type: Type): Decoder {
  switch (type.kind) {
    case "scalar":
      return scalarDecoder(type);
    case "list":
      return listDecoder(type);
    case "map":
      return mapDecoder(type);
    case "message":
      return messageDecoder(type);
    case "lazy":
      return (value, walk) => decoderOf(type.get())(value, walk);
  }
}

interface Slot {
  readonly name: string;
  /** The position in the schema, which is the position in the canonical form. */
  readonly index: number;
  readonly field: Field;
  /** Resolved at first use, because schemas can refer to each other. */
  decoder: Decoder | undefined;
  readonly isMessage: boolean;
}

function messageDecoder(type: MessageType): Decoder {
  const slots: Slot[] = [...type.fields].map(([name, field], index) => ({
    name,
    index,
    field,
    decoder: undefined,
    isMessage: field.type.kind === "message",
  }));
  const slotsOf = slotFinder(slots);
  const struct = type.name.slice(type.name.lastIndexOf(".") + 1);
  return (value, walk) => {
    if (!isObject(value)) throw walk.mismatch(value, goName(type));
    walk.structs.push(struct);
    const result: Record<string, unknown> = {};
    let known = 0;
    const unknown = walk.report?.unknown ?? [];
    /** Unknown fields below known ones, by the known field. */
    let below: Map<string, readonly string[]> | undefined;
    for (const slot of slotsOf(value)) {
      const raw = value[slot.name];
      if (raw !== undefined) known += 1;
      walk.path.push(slot.name);
      const told = unknown.length;
      const decoded = decodeField(slot, raw, walk);
      walk.path.pop();
      if (decoded !== undefined) result[slot.name] = decoded;
      if (unknown.length > told) (below ??= new Map()).set(slot.name, unknown.splice(told));
    }
    if (walk.report !== undefined) reportKeys(type, value, { known, below }, walk, walk.report);
    walk.structs.pop();
    return result;
  };
}

/**
 * Finds the fields that are set or have a value when they are unset, in the schema's order. A large message
 * is mostly empty, so only the keys that are present are looked up.
 */
function slotFinder(slots: readonly Slot[]): (value: Record<string, unknown>) => readonly Slot[] {
  const byName = new Map(slots.map((slot) => [slot.name, slot]));
  const filled = slots.filter(
    ({ field, isMessage }) =>
      field.presence === "required" ||
      field.default !== undefined ||
      (isMessage && field.presence !== "pointer"),
  );
  // The items of a list usually have the same keys, so the fields of the previous value are tried first.
  let last: readonly string[] = [];
  let fields: readonly Slot[] = filled;
  return (value) => {
    const keys = Object.keys(value);
    if ((keys.length + filled.length) * 3 > slots.length) return slots;
    if (keys.length === last.length && keys.every((key, i) => key === last[i])) return fields;
    const found = new Set(filled);
    for (const key of keys) {
      const slot = byName.get(key);
      if (slot !== undefined) found.add(slot);
    }
    last = keys;
    fields = [...found].sort((a, b) => a.index - b.index);
    return fields;
  };
}

/** The field's canonical value; undefined when it is absent in the canonical form. */
function decodeField(slot: Slot, raw: unknown, walk: Walk): unknown {
  const { field, isMessage } = slot;
  slot.decoder ??= decoderOf(field.type);
  if (raw !== undefined && raw !== null) {
    const decoded = slot.decoder(raw, walk);
    // A number-or-string field can hold an empty string, which is a different zero value than the one for an
    // unset field.
    const isShown = field.presence === "pointer" || (field.presence === "required" && !("default" in field));
    if (isShown || isMessage || !isZero(decoded)) return decoded;
  } else if (isMessage && field.presence !== "pointer") {
    return slot.decoder({}, walk);
  }
  // Go does not distinguish a zero value from an unset one, unless the field is a pointer.
  if (field.default !== undefined) return defaultOf(field);
  return field.presence === "required" ? zeroOf(field.type) : undefined;
}

function defaultOf(field: Field): unknown {
  return typeof field.default === "function" ? field.default() : field.default;
}

function isZero(value: unknown): boolean {
  if (typeof value === "object" && value !== null) {
    return Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
  }
  return value === "" || value === 0 || value === false;
}

/** The value for null in a list or map, as in Go. */
function nullOf(lazyType: Type, emptyObject: () => unknown): unknown {
  const type = resolve(lazyType);
  if (type.kind === "scalar" && type.name === "json") return null;
  return zeroOf(type) ?? (type.kind === "message" ? emptyObject() : undefined);
}

function zeroOf(type: Type): unknown {
  if (type.kind === "list") return [];
  if (type.kind === "map") return {};
  return zeroScalar(type);
}

/**
 * Go's zero value of a scalar that is always on the wire; undefined for values that are omitted and for other
 * types.
 */
export function zeroScalar(type: Type): unknown {
  if (type.kind !== "scalar") return undefined;
  switch (type.name) {
    case "string":
    case "bytes":
      return "";
    case "boolean":
      return false;
    case "int32":
    case "int64":
    case "double":
    case "intOrString":
      return 0;
    case "quantity":
      return "0";
    case "duration":
      return "0s";
    default:
      return undefined;
  }
}

/**
 * The maximum number of reported unknown fields, as in upstream's decoder (sigs.k8s.io/json,
 * `saveStrictError`).
 */
export const mostUnknown = 100;

/** Reports unknown fields in the order of the text. Fields are decoded in the schema's order. */
function reportKeys(
  type: MessageType,
  value: Record<string, unknown>,
  { known, below }: { readonly known: number; readonly below: Map<string, readonly string[]> | undefined },
  walk: Walk,
  report: DecodeReport,
): void {
  const keys = Object.keys(value);
  report.keys += keys.length;
  if (keys.length === known && below === undefined) return;
  const from = report.unknown.length;
  let place: string | undefined;
  for (const key of keys) {
    const isTold = !walk.isMuted && report.unknown.length - from < mostUnknown;
    if (type.fields.has(key)) {
      if (isTold) report.unknown.push(...(below?.get(key) ?? []));
      continue;
    }
    const mayBeTyped = walk.path.length === 0 || type.typed === true;
    const isTypeMeta = mayBeTyped && (key === "apiVersion" || key === "kind");
    if (isTold && !isTypeMeta) report.unknown.push(join((place ??= walk.where(true)), key));
    report.keys += countKeys(value[key]);
  }
}

/** Walks the items of a list or map. Reports only the first unknown fields. */
function eachItem<T>(walk: Walk, items: readonly T[], decode: (item: T, index: number) => void): void {
  const { isMuted } = walk;
  const unknown = walk.report?.unknown ?? [];
  const from = unknown.length;
  items.forEach((item, index) => {
    decode(item, index);
    if (unknown.length - from >= mostUnknown) walk.isMuted = true;
  });
  walk.isMuted = isMuted;
}

function join(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}

/**
 * Counts the keys of all objects inside a value. Does not recurse, because unknown fields can nest to any
 * depth.
 */
export function countKeys(value: unknown): number {
  const waiting = [value];
  let count = 0;
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== "object" || next === null) continue;
    const inner: unknown[] = Object.values(next);
    if (!Array.isArray(next)) count += inner.length;
    for (const one of inner) waiting.push(one);
  }
  return count;
}

function listDecoder(type: ListType): Decoder {
  const goType = goName(type);
  return (value, walk) => {
    if (!Array.isArray(value)) throw walk.mismatch(value, goType);
    const decodeItem = decoderOf(type.of);
    const result: unknown[] = [];
    eachItem<unknown>(walk, value, (item, index) => {
      walk.path.push(index);
      result.push(item === null ? nullOf(type.of, () => decodeItem({}, walk)) : decodeItem(item, walk));
      walk.path.pop();
    });
    // A list that grew has room for sixteen more items, and objects in caches have thousands of short lists.
    return result.slice();
  };
}

function mapDecoder(type: MapType): Decoder {
  const goType = goName(type);
  return (value, walk) => {
    if (!isObject(value)) throw walk.mismatch(value, goType);
    const decodeItem = decoderOf(type.of);
    const result: Record<string, unknown> = {};
    const keys = Object.keys(value);
    if (walk.report !== undefined) walk.report.keys += keys.length;
    keys.sort();
    eachItem(walk, keys, (key) => {
      if (value[key] === undefined) return;
      walk.path.push({ key });
      const decoded =
        value[key] === null ? nullOf(type.of, () => decodeItem({}, walk)) : decodeItem(value[key], walk);
      walk.path.pop();
      setOwn(result, key, decoded);
    });
    return result;
  };
}

/**
 * Sets an own property, also for keys such as `__proto__`, for which an assignment would set the prototype.
 */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}

function goName(type: Type): string {
  switch (type.kind) {
    case "list":
      return `[]${goName(type.of)}`;
    case "map":
      // Amounts occur in the maps of this type only.
      return isAmount(type.of) ? "v1.ResourceList" : `map[string]${goName(type.of)}`;
    case "message":
      return type.name.split(".").slice(-2).join(".");
    case "lazy":
      return goName(type.get());
    case "scalar":
      return goNames[type.name] ?? type.name;
  }
}

const goNames: Partial<Record<ScalarName, string>> = {
  boolean: "bool",
  bytes: "[]uint8",
  double: "float64",
  intOrString: "intstr.IntOrString",
  json: "v1.JSON",
  microTime: "v1.MicroTime",
  quantity: "resource.Quantity",
  rawExtension: "runtime.RawExtension",
  time: "v1.Time",
};

function isAmount(type: Type): boolean {
  return type.kind === "scalar" && type.thousandths === true;
}

function scalarDecoder(type: ScalarType): Decoder {
  switch (type.name) {
    case "string":
      return (value, walk) => expectString(value, walk, "string");
    case "boolean":
      return (value, walk) => {
        if (typeof value !== "boolean") throw walk.mismatch(value, "bool");
        return value;
      };
    case "int32":
      return (value, walk) => decodeInteger(value, walk, "int32");
    case "int64":
      return (value, walk) => decodeInteger(value, walk, "int64");
    case "double":
      return (value, walk) => {
        if (typeof value !== "number") throw walk.mismatch(value, "float64");
        return value;
      };
    case "bytes":
      return decodeBytes;
    case "quantity":
      return isAmount(type) ? decodeAmount : decodeQuantity;
    case "intOrString":
      return (value, walk) => (typeof value === "string" ? value : decodeInteger(value, walk, "int32"));
    case "time":
      return (value, walk) => canonical(expectString(value, walk, "string"), canonicalTime);
    case "microTime":
      return (value, walk) => canonical(expectString(value, walk, "string"), canonicalMicroTime);
    case "duration":
      return decodeDuration;
    case "fieldsV1":
    case "rawExtension":
    case "json":
      if (type.union !== undefined) return unionDecoder(type.union);
      return (value, walk) => {
        if (walk.report !== undefined) walk.report.keys += countKeys(value);
        return value;
      };
  }
}

/**
 * Decodes a union. As in Go, such types decode themselves: their errors have no outer path, and their unknown
 * fields are not reported.
 */
function unionDecoder({ message, split, join }: UnionForm): Decoder {
  return (value, { report }) => {
    if (report !== undefined) report.keys += countKeys(value);
    const walk = new Walk(undefined);
    const decoded: Record<string, unknown> = {};
    for (const [name, inner] of Object.entries(split(value))) {
      const type = message().fields.get(name)?.type;
      if (type !== undefined) decoded[name] = decoderOf(type)(inner, walk);
    }
    return join(decoded);
  };
}

function expectString(value: unknown, walk: Walk, goType: string): string {
  if (typeof value !== "string") throw walk.mismatch(value, goType);
  return value;
}

function isInteger(value: number, size: "int32" | "int64"): boolean {
  return size === "int32" ? (value | 0) === value : Number.isInteger(value) && Math.abs(value) <= 2 ** 63;
}

function decodeInteger(value: unknown, walk: Walk, size: "int32" | "int64"): number {
  if (typeof value !== "number" || !isInteger(value, size)) throw walk.mismatch(value, size);
  return value === 0 ? 0 : value;
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Returns base64 without its line breaks; undefined when the text is not base64. */
export function compactBase64(text: string): string | undefined {
  if (base64.test(text)) return text;
  const compact = text.replaceAll(/[\r\n]/g, "");
  return base64.test(compact) ? compact : undefined;
}

/** Decodes base64, which may have line breaks, and bits that are no part of a byte. */
function decodeBytes(value: unknown, walk: Walk): string {
  const text = expectString(value, walk, "[]uint8");
  const compact = compactBase64(text);
  if (compact === undefined) throw new DecodeError(`illegal base64 data at input byte ${corruptByte(text)}`);
  if (!compact.endsWith("=")) return compact;
  return compact.slice(0, -4) + Buffer.from(compact.slice(-4), "base64").toString("base64");
}

/** The index that Go's decoder names, in a text that is not base64. */
function corruptByte(text: string): number {
  const at = text.search(/[^A-Za-z0-9+/\r\n]/);
  const letters = text.slice(0, at < 0 ? undefined : at).replaceAll(/[\r\n]/g, "").length % 4;
  // The last group is too short.
  if (at < 0) return text.length - letters;
  if (text[at] !== "=" || letters < 2) return at;
  const afterBreaks = (from: number) => from + text.slice(from).search(/[^\r\n]|$/);
  const next = afterBreaks(at + 1);
  if (letters === 3 || next === text.length) return next;
  return text[next] === "=" ? afterBreaks(next + 1) : next - 1;
}

function decodeQuantity(value: unknown): string {
  return decodeAs(value, canonicalQuantity);
}

function decodeAmount(value: unknown): string {
  return decodeAs(value, canonicalAmount);
}

function decodeAs(value: unknown, form: (text: string) => string): string {
  if (typeof value !== "string" && typeof value !== "number") {
    throw new DecodeError(new QuantityError(quantityShape).message);
  }
  return canonical(String(value).trim(), form);
}

/** The canonical form of a text. What is wrong with the text is an error of decoding. */
function canonical<T>(text: string, form: (text: string) => T): T {
  try {
    return form(text);
  } catch (error) {
    if (!(error instanceof QuantityError || error instanceof TimeError)) throw error;
    throw new DecodeError(error.message, { cause: error });
  }
}

function decodeDuration(value: unknown, walk: Walk): string {
  const text = expectString(value, walk, "string");
  const nanoseconds = parseGoDuration(text);
  if (nanoseconds === undefined) throw new DecodeError(`time: invalid duration ${quoted(text)}`);
  return formatGoDuration(nanoseconds);
}
