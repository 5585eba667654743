import { canonicalAmount, canonicalQuantity, QuantityError, quantityShape } from "./quantity.ts";
import {
  type DecodeReport,
  type Field,
  type ListType,
  type MapType,
  type MessageType,
  resolve,
  type ScalarType,
  type Type,
  type UnionForm,
} from "./schema.ts";
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
    return new DecodeError(`json: cannot unmarshal ${jsonKind(value)} into ${place} of type ${goType}`);
  }
}

function jsonKind(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number" && !Number.isInteger(value)) return `number ${value}`;
  return typeof value;
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
function eachItem(walk: Walk, count: number, decode: (index: number) => void): void {
  const { report, isMuted } = walk;
  const from = report?.unknown.length ?? 0;
  for (let index = 0; index < count; index++) {
    decode(index);
    if (report !== undefined && report.unknown.length - from >= mostUnknown) walk.isMuted = true;
  }
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
  for (let next = waiting.pop(); waiting.length > 0 || next !== undefined; next = waiting.pop()) {
    if (typeof next !== "object" || next === null) continue;
    const inner = Object.values(next);
    if (!Array.isArray(next)) count += inner.length;
    for (const one of inner) if (typeof one === "object" && one !== null) waiting.push(one);
  }
  return count;
}

function listDecoder(type: ListType): Decoder {
  const goType = goName(type);
  return (value, walk) => {
    if (!Array.isArray(value)) throw walk.mismatch(value, goType);
    const decodeItem = decoderOf(type.of);
    const result: unknown[] = [];
    eachItem(walk, value.length, (index) => {
      const item: unknown = value[index];
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
    eachItem(walk, keys.length, (index) => {
      const key = keys[index];
      if (key === undefined || value[key] === undefined) return;
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
      return `map[string]${goName(type.of)}`;
    case "message":
      return type.name.split(".").slice(-2).join(".");
    case "lazy":
      return goName(type.get());
    case "scalar":
      return type.name === "boolean" ? "bool" : type.name === "double" ? "float64" : type.name;
  }
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
    case "int64":
      return integerDecoder(type.name);
    case "double":
      return (value, walk) => {
        if (typeof value !== "number") throw walk.mismatch(value, "float64");
        return value;
      };
    case "bytes":
      return decodeBytes;
    case "quantity":
      return type.thousandths === true ? decodeAmount : decodeQuantity;
    case "intOrString":
      return (value, walk) => {
        if (typeof value === "string" || (typeof value === "number" && isInteger(value, "int32")))
          return value;
        throw walk.mismatch(value, "intstr.IntOrString");
      };
    case "time":
      return (value, walk) => decodeTime(value, walk, formatSeconds);
    case "microTime":
      return (value, walk) => decodeTime(value, walk, formatMicroseconds);
    case "duration":
      return (value, walk) => expectString(value, walk, "Duration");
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

function integerDecoder(size: "int32" | "int64"): Decoder {
  return (value, walk) => {
    if (typeof value !== "number") throw walk.mismatch(value, size);
    if (!isInteger(value, size)) {
      const error = walk.mismatch(value, size);
      throw new DecodeError(
        error.message.replace(/unmarshal number( \S+)? into/, `unmarshal number ${value} into`),
      );
    }
    return value === 0 ? 0 : value;
  };
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function decodeBytes(value: unknown, walk: Walk): string {
  const text = expectString(value, walk, "[]uint8");
  if (base64.test(text)) return text;
  const compact = text.replaceAll(/[\r\n]/g, "");
  if (base64.test(compact)) return compact;
  const at = compact.search(/[^A-Za-z0-9+/]/);
  throw new DecodeError(`illegal base64 data at input byte ${at < 0 ? compact.length : at}`);
}

function decodeQuantity(value: unknown): string {
  return decodeAs(value, canonicalQuantity);
}

function decodeAmount(value: unknown): string {
  return decodeAs(value, canonicalAmount);
}

function decodeAs(value: unknown, canonical: (text: string) => string): string {
  if (typeof value !== "string" && typeof value !== "number") {
    throw new DecodeError(new QuantityError(quantityShape).message);
  }
  try {
    return canonical(String(value).trim());
  } catch (error) {
    if (error instanceof QuantityError) throw new DecodeError(error.message, { cause: error });
    throw error;
  }
}

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

function decodeTime(
  value: unknown,
  walk: Walk,
  format: (match: RegExpExecArray, text: string) => string,
): string {
  const text = expectString(value, walk, "Time");
  const match = rfc3339.exec(text);
  if (match === null || Number.isNaN(Date.parse(text))) {
    throw new DecodeError(
      `parsing time ${JSON.stringify(text)} as "2006-01-02T15:04:05Z07:00": cannot parse ${JSON.stringify(text)} as "2006"`,
    );
  }
  return format(match, text);
}

function formatSeconds(match: RegExpExecArray, text: string): string {
  if (match[7] === undefined && match[8] === "Z") return text;
  return `${new Date(Date.parse(text)).toISOString().slice(0, 19)}Z`;
}

function formatMicroseconds(match: RegExpExecArray, text: string): string {
  const fraction = (match[7] ?? ".").slice(1, 7).padEnd(6, "0");
  return `${new Date(Date.parse(text)).toISOString().slice(0, 19)}.${fraction}Z`;
}
