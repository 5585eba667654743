import { ascending } from "../util/compare.ts";

/**
 * A resource quantity: a decimal with a suffix (apimachinery `resource.Quantity`). The value is exact, in
 * billionths. The type of suffix is a part of the canonical form.
 */
export interface Quantity {
  readonly nanos: bigint;
  readonly format: "decimal" | "binary" | "exponent";
}

/** Thrown when a text is not a quantity. The message is upstream's. */
export class QuantityError extends Error {
  override readonly name = "QuantityError";
}

const nano = 1_000_000_000n;
/** The maximum of values with a binary suffix. Larger ones are capped, as upstream. */
const maxBinaryNanos = (2n ** 63n - 1n) * nano;
/** The maximum exponent. Upstream accepts larger ones, whose comparison takes hours. */
const largestExponent = 1000;

const decimalSuffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"] as const;
const binarySuffixes = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"] as const;

export const quantityShape =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/** The digits may be absent, which upstream reads as zero. */
const pattern = /^([+-]?)(\d*)(?:\.(\d*))?((?:[eEinumkKMGTP]+[-+]?|[-+])\d*)?$/;

/** A parsed text before rounding and capping: `number` × 10^`exponent`. */
export interface WrittenQuantity {
  readonly number: bigint;
  readonly exponent: number;
  readonly format: Quantity["format"];
  /** True when upstream stores the number in 64 bits. */
  readonly isShort: boolean;
  /** True when upstream keeps the written text. */
  readonly isKept: boolean;
}

/** @throws QuantityError */
export function readQuantity(text: string): WrittenQuantity {
  const [matched, sign, written = "", fraction = "", suffix = ""] = pattern.exec(text) ?? [];
  if (matched === undefined || text === "") throw new QuantityError(quantityShape);
  const { format, power } = scaleOf(suffix);
  const whole = written.replace(/^0+/, "") || "0";
  const digits = whole + fraction;
  const isBinary = format === "binary";
  const exponent = (isBinary ? 0 : power) - fraction.length;
  const isShort = isBinary
    ? fraction === "" && whole.length + Math.trunc((power * 3) / 10) <= 14
    : digits.length <= 18 && exponent >= -9;
  if (!isShort && written + fraction === "") {
    throw new QuantityError("unable to parse numeric part of quantity");
  }
  const magnitude = BigInt(digits) << (isBinary ? BigInt(power) : 0n);
  const isCanonical = isBinary
    ? Number(digits.slice(-3)) % 8 !== 0
    : exponent % 3 === 0 && !digits.endsWith("000") && !digits.startsWith("0");
  const number = sign === "-" ? -magnitude : magnitude;
  return { number, exponent, format, isShort, isKept: isShort && isCanonical };
}

/** The power of two or ten of a suffix. */
function scaleOf(suffix: string): { readonly format: Quantity["format"]; readonly power: number } {
  const binary = binarySuffixes.findIndex((one) => one === suffix);
  if (binary >= 0) return { format: "binary", power: (binary + 1) * 10 };
  const decimal = decimalSuffixes.findIndex((one) => one === suffix);
  if (decimal >= 0) return { format: "decimal", power: (decimal - 3) * 3 };
  const power = /^[eE][+-]?\d+$/.test(suffix) ? Number(suffix.slice(1)) : Number.POSITIVE_INFINITY;
  if (power > largestExponent) throw new QuantityError("unable to parse quantity's suffix");
  return { format: "exponent", power };
}

/** @throws QuantityError */
export const parseQuantity = (text: string): Quantity => roundQuantity(readQuantity(text));

/** Rounds to billionths and caps the value. */
export function roundQuantity({ number, exponent, format }: WrittenQuantity): Quantity {
  const magnitude = atScale(number < 0n ? -number : number, exponent + 9);
  const capped = format === "binary" && magnitude > maxBinaryNanos ? maxBinaryNanos : magnitude;
  return { nanos: number < 0n ? -capped : capped, format };
}

/** Multiplies by a power of ten and rounds up. Does not compute very small powers, whose result is 1. */
function atScale(magnitude: bigint, power: number): bigint {
  if (power >= 0) return magnitude * 10n ** BigInt(power);
  if (magnitude === 0n) return 0n;
  return -power > magnitude.toString().length ? 1n : ceilDivide(magnitude, 10n ** BigInt(-power));
}

/** Rounds away from zero; both operands are positive. */
function ceilDivide(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}

/**
 * The canonical form: no fraction, the largest possible suffix. (Upstream drops zeros above 999E; here they
 * are kept.)
 */
export function formatQuantity({ nanos, format }: Quantity): string {
  const sign = nanos < 0n ? "-" : "";
  const magnitude = nanos < 0n ? -nanos : nanos;
  if (magnitude === 0n) return "0";
  if (format === "binary" && magnitude >= 1024n * nano && magnitude % nano === 0n) {
    return sign + formatBinary(magnitude / nano);
  }
  const digits = magnitude.toString();
  const most = format === "exponent" ? Infinity : 9;
  let thousands = 0;
  while (thousands < most && digits.endsWith("000", digits.length - thousands * 3)) thousands += 1;
  const value = digits.slice(0, digits.length - thousands * 3);
  if (format !== "exponent") return `${sign}${value}${decimalSuffixes[thousands]}`;
  return `${sign}${value}${thousands === 3 ? "" : `e${thousands * 3 - 9}`}`;
}

function formatBinary(bytes: bigint): string {
  let value = bytes;
  let power = 0;
  while (power < binarySuffixes.length && value % 1024n === 0n) {
    value /= 1024n;
    power += 1;
  }
  return `${value}${power === 0 ? "" : binarySuffixes[power - 1]}`;
}

/** The maximum length of a cached text, in characters. */
const longestKnown = 32;
const mostKnown = 4096;

/** The maximum length of a text, in characters. Upstream has no limit, but parses in quadratic time. */
const longestText = 1_000;

/** Caches canonical forms, because Pods repeat a few texts. A full cache is emptied. */
function remembering(formOf: (written: WrittenQuantity, text: string) => string) {
  const known = new Map<string, string>();
  return (text: string): string => {
    const remembered = known.get(text);
    if (remembered !== undefined) return remembered;
    if (text.length > longestText) throw new QuantityError("unable to parse numeric part of quantity");
    const form = formOf(readQuantity(text), text);
    if (text.length > longestKnown) return form;
    if (known.size >= mostKnown) known.clear();
    known.set(text, form);
    return form;
  };
}

/** @throws QuantityError */
export const canonicalQuantity = remembering((written, text) =>
  written.isKept ? text : formatQuantity(roundQuantity(written)),
);

const milli = 1_000_000n;

/**
 * The canonical form rounded up to thousandths, as upstream rounds amounts of resources. @throws
 * QuantityError
 */
export const canonicalAmount = remembering((written, text) => {
  if (written.isKept && written.exponent >= -3) return text;
  const { nanos, format } = roundQuantity(written);
  const magnitude = ceilDivide(nanos < 0n ? -nanos : nanos, milli) * milli;
  return formatQuantity({ nanos: nanos < 0n ? -magnitude : magnitude, format });
});

export function addQuantities(a: Quantity, b: Quantity): Quantity {
  return { nanos: a.nanos + b.nanos, format: a.nanos === 0n ? b.format : a.format };
}

/** Compares two quantities, for sorting. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  return ascending(a.nanos, b.nanos);
}

/** The value in whole units, rounded away from zero (upstream's `Value`). */
export const quantityValue = ({ nanos }: Quantity) => inUnits(nanos, nano);

/** The value in thousandths, rounded away from zero (upstream's `MilliValue`), which is the unit of CPU. */
export const quantityMilliValue = ({ nanos }: Quantity) => inUnits(nanos, milli);

const inUnits = (nanos: bigint, unit: bigint): number =>
  Number(nanos < 0n ? -ceilDivide(-nanos, unit) : ceilDivide(nanos, unit));
