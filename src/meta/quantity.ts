/**
 * Resource quantities: decimals with a suffix (apimachinery `resource.Quantity`). Held exactly, in
 * billionths, with the family of suffix that the writer used, because the canonical form keeps it.
 */
export interface Quantity {
  readonly nanos: bigint;
  readonly format: "decimal" | "binary" | "exponent";
}

/** The text is no quantity. The message is upstream's. */
export class QuantityError extends Error {
  override readonly name = "QuantityError";
}

const nano = 1_000_000_000n;
/** Larger values are cut down to this one, as upstream does. */
const maxNanos = (2n ** 63n - 1n) * nano;

const decimalSuffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"] as const;
const binarySuffixes = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"] as const;

const pattern = /^([+-]?)(\d*)(?:\.(\d*))?((?:[eE][+-]?\d+)|[KMGTPE]i|[numkMGTPE]?)$/;
const shape = /^[+-]?[0-9.]+[eEinumkKMGTP]*[-+]?[0-9]*$/;

export function parseQuantity(text: string): Quantity {
  const match = pattern.exec(text);
  if (match === null || ((match[2] ?? "") === "" && (match[3] ?? "") === "")) {
    throw new QuantityError(
      shape.test(text)
        ? "unable to parse quantity's suffix"
        : "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
  }
  const [, sign, whole = "", fraction = "", suffix = ""] = match;
  const { format, numerator, denominator } = scaleOf(suffix);
  const digits = BigInt(whole + fraction) * numerator * nano;
  const magnitude = ceilDivide(digits, denominator * 10n ** BigInt(fraction.length));
  const capped = magnitude > maxNanos ? maxNanos : magnitude;
  return { nanos: sign === "-" ? -capped : capped, format };
}

/** What a suffix multiplies by, as a fraction. Exponents are bounded, so that `1e999999999` costs nothing. */
function scaleOf(suffix: string): { format: Quantity["format"]; numerator: bigint; denominator: bigint } {
  const binary = binarySuffixes.findIndex((one) => one === suffix);
  if (binary >= 0) return { format: "binary", numerator: 1024n ** BigInt(binary + 1), denominator: 1n };
  const decimal = decimalSuffixes.findIndex((one) => one === suffix);
  const exponent = decimal >= 0 ? (decimal - 3) * 3 : Math.max(-30, Math.min(30, Number(suffix.slice(1))));
  const power = 10n ** BigInt(Math.abs(exponent));
  const [numerator, denominator] = exponent < 0 ? [1n, power] : [power, 1n];
  return { format: decimal >= 0 ? "decimal" : "exponent", numerator, denominator };
}

/** Rounds away from zero; both operands are positive. */
function ceilDivide(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}

/** The canonical form: no fraction, the largest suffix that allows it. */
export function formatQuantity({ nanos, format }: Quantity): string {
  const sign = nanos < 0n ? "-" : "";
  const magnitude = nanos < 0n ? -nanos : nanos;
  if (magnitude === 0n) return "0";
  if (format === "binary" && magnitude >= 1024n * nano) {
    return sign + formatBinary(ceilDivide(magnitude, nano));
  }
  let value = magnitude;
  let exponent = -9;
  while (exponent < 18 && value % 1000n === 0n) {
    value /= 1000n;
    exponent += 3;
  }
  if (format !== "exponent") return `${sign}${value}${decimalSuffixes[exponent / 3 + 3]}`;
  return `${sign}${value}${exponent === 0 ? "" : `e${exponent}`}`;
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

/** Canonical forms met before: Pods repeat the same few. Emptied when full, so that it stays small. */
const canonical = new Map<string, string>();

/** @throws QuantityError */
export function canonicalQuantity(text: string): string {
  const known = canonical.get(text);
  if (known !== undefined) return known;
  const form = formatQuantity(parseQuantity(text));
  if (canonical.size >= 4096) canonical.clear();
  canonical.set(text, form);
  return form;
}

export function addQuantities(a: Quantity, b: Quantity): Quantity {
  return { nanos: a.nanos + b.nanos, format: a.nanos === 0n ? b.format : a.format };
}

/** Negative, zero or positive, as a comparator wants it. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  return a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0;
}

/** Whole units, rounded up (upstream's `Value`). */
export function quantityValue({ nanos }: Quantity): number {
  return Number(nanos < 0n ? nanos / nano : ceilDivide(nanos, nano));
}

/** Thousandths, rounded up (upstream's `MilliValue`): how CPU is counted. */
export function quantityMilliValue({ nanos }: Quantity): number {
  return Number(nanos < 0n ? nanos / 1_000_000n : ceilDivide(nanos, 1_000_000n));
}
