import {
  type MapType,
  type ListType,
  type MessageType,
  resolve,
  type ScalarType,
} from "../../../src/meta/schema.ts";
import { maxValues } from "../../../src/meta/json.ts";
import { fillerOf, type Filling, fillings } from "./fillers.ts";
import { nameOf, type Place, placesOf, type Step } from "./places.ts";

/** One body of the largest size, which takes a server a long time if any body does. */
export interface Shape {
  /** The place and the filling: `spec.containers: an eighth of everything`. */
  readonly name: string;
  readonly make: () => object;
}

/** A size just below the limit of a body. */
export const mostBytes = 3 * 1024 * 1024 - 20_000;

/** Yields an object for each place of a kind's schema, with that place at its largest. `base` is a valid object. */
export function* shapesOf(schema: MessageType, base: object, seen: Set<string>): Generator<Shape> {
  const texts = new Map<string, Place[]>();
  for (const place of placesOf(schema, seen)) {
    const { type, steps } = place;
    if (type.kind !== "scalar") {
      for (const filling of fillings) yield* containerShapes(schema, base, place, type, filling);
    } else if (type.name === "string" && type.enum === undefined) {
      const parent = JSON.stringify(steps.slice(0, -1));
      texts.set(parent, [...(texts.get(parent) ?? []), place]);
    } else yield* textShapes(schema, base, place, type);
  }
  for (const places of texts.values()) yield* stringShapes(schema, base, places);
}

/**
 * The shares of the limit to try. An eighth may pass where a limit refuses the whole; a filling that is refused while
 * decoding needs no eighth.
 */
const shares = {
  whole: [[1, "all"]],
  both: [
    [1 / 8, "an eighth"],
    [1, "all"],
  ],
} as const;

function* containerShapes(
  schema: MessageType,
  base: object,
  place: Place,
  type: ListType | MapType,
  filling: Filling,
): Generator<Shape> {
  const isScalar = resolve(type.of).kind === "scalar";
  // For items without fields, the fillings are alike.
  if (isScalar && (filling === "keys" || filling === "nothing")) return;
  const isBoth = filling === "everything" || filling === "rubbish";
  for (const [share, amount] of isBoth ? shares.both : shares.whole) {
    const make = () => {
      const value = type.kind === "list" ? listOf(type, filling, share) : mapOf(type, filling, share);
      return withValue(schema, base, place.steps, value);
    };
    yield { name: `${nameOf(place)}: ${amount} of ${filling}`, make };
  }
}

/** Fills all strings of a message at once. */
function* stringShapes(schema: MessageType, base: object, places: readonly Place[]): Generator<Shape> {
  const [first] = places;
  if (first === undefined) return;
  for (const pattern of patterns) {
    const make = () =>
      places.reduce<object>(
        (object, { steps }) => withValue(schema, object, steps, long(pattern, 1 / places.length)),
        base,
      );
    const others = places.length === 1 ? "" : ` and ${places.length - 1} beside it`;
    yield { name: `${nameOf(first)}${others}: ${JSON.stringify(pattern)}`, make };
  }
}

function listOf({ of }: ListType, filling: Filling, share: number): unknown[] {
  const count = countOf(share, fillerOf(of, filling, usualIndex));
  return Array.from({ length: count }, (_, index) => fillerOf(of, filling, index));
}

function mapOf({ of }: MapType, filling: Filling, share: number): object {
  const entryOf = (index: number) => {
    const key = filling === "rubbish" ? `!${index}` : `k${index}`;
    return [key, fillerOf(of, filling, index)] as const;
  };
  const count = countOf(share, entryOf(usualIndex));
  return Object.fromEntries(Array.from({ length: count }, (_, index) => entryOf(index)));
}

/** An index with as many digits as most. */
const usualIndex = 100_000;

/** Returns the largest number of items that the limits allow. */
function countOf(share: number, one: unknown): number {
  const text = JSON.stringify(one);
  const values = 1 + (text.match(/[,[{]/g)?.length ?? 0);
  return Math.floor(Math.min(mostBytes / (text.length + 1), (maxValues - 500) / values) * share);
}

/** Strings on which parsers may start over at each character; each ends with a character that does not match. */
const patterns = ["a", "a-", "a.", "/", "0", "1 ", "%", "é", "\0", "$(", "=,", ":", "[", "*."];

function* textShapes(
  schema: MessageType,
  base: object,
  place: Place,
  { name, enum: known }: ScalarType,
): Generator<Shape> {
  for (const [what, make] of textsOf(name, known !== undefined)) {
    const shape = () => withValue(schema, base, place.steps, make());
    yield { name: `${nameOf(place)}: ${what}`, make: shape };
  }
}

type Text = readonly [name: string, make: () => unknown];

function textsOf(name: ScalarType["name"], isEnum: boolean): readonly Text[] {
  const digits = (text: (digits: string) => string) => () => text("9".repeat(1_000_000));
  switch (name) {
    case "quantity":
      return [
        ["digits", digits((many) => many)],
        ["a fraction", digits((many) => `0.${many}`)],
        ["a binary suffix", digits((many) => `${many}Ei`)],
        ["signs", () => "+".repeat(1_000_000)],
      ];
    case "json":
    case "rawExtension":
      return [
        ["nested", () => nested(2_000)],
        ["keys", () => Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`k${i}`, ""]))],
      ];
    default:
      return (isEnum ? ["a"] : patterns).map((one): Text => [JSON.stringify(one), () => long(one)]);
  }
}

function long(text: string, share = 1): string {
  const bytes = Buffer.byteLength(JSON.stringify(text)) - 2;
  return `${text.repeat(Math.floor((mostBytes * 0.5 * share) / bytes))}!`;
}

export function nested(depth: number): unknown {
  return JSON.parse(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`);
}

/** Returns the object with a value at a place; missing parents are added. */
function withValue(schema: MessageType, base: object, steps: readonly Step[], value: unknown): object {
  const put = (
    type: ReturnType<typeof resolve>,
    current: unknown,
    [step, ...rest]: readonly Step[],
  ): unknown => {
    if (step === undefined) return value;
    if (type.kind === "list") {
      const [first, ...others] = Array.isArray(current) ? (current as unknown[]) : [];
      return [put(resolve(type.of), first, rest), ...others];
    }
    const start = (current ?? fillerOf(type, "keys", 1)) as Record<string, unknown>;
    if (type.kind === "map") return { ...start, key: put(resolve(type.of), start["key"], rest) };
    if (type.kind !== "message" || typeof step !== "string") return value;
    const field = type.fields.get(step);
    return field === undefined ? start : { ...start, [step]: put(resolve(field.type), start[step], rest) };
  };
  return put(schema, base, steps) as object;
}
