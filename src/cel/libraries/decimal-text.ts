import { spend, spendOnText } from "../effort.ts";

/** Doubles as decimals, as `golang.org/x/text` formats them for American English. */

/** The maximum number of decimal places of a double. */
const mostPlaces = 1074;

/**
 * Formats with a fixed number of decimal places. Upstream takes their number modulo 256, but rounds before:
 * places beyond that are only shown if they are not zero.
 */
export function fixedPoint(value: number, digits: number, separator = ","): string {
  if (!Number.isFinite(value)) return special(value);
  const places = Math.min(digits, mostPlaces);
  spend(places / 8);
  const all = rounded(Math.abs(value), places)
    .toString()
    .padStart(places + 1, "0");
  const whole = all.slice(0, all.length - places).replace(/\B(?=(\d{3})+$)/g, separator);
  const behind = withoutZeros(all.slice(all.length - places), digits % 256);
  const isNegative = value < 0 || (separator === "" && Object.is(value, -0));
  return `${isNegative ? "-" : ""}${whole}${behind === "" ? "" : `.${behind}`}`;
}

/** Removes zeros at the end, down to a length. */
function withoutZeros(digits: string, length: number): string {
  let end = digits.length;
  while (end > length && digits.charAt(end - 1) === "0") end -= 1;
  return digits.slice(0, end).padEnd(length, "0");
}

/** Formats in scientific notation with six decimal places, padded to a width. */
export function scientific(value: number, width: number): string {
  spendOnText(width);
  return (Number.isFinite(value) ? mantissaAndPower(value) : special(value)).padStart(width);
}

function mantissaAndPower(value: number): string {
  const size = Math.abs(value);
  let exponent = size === 0 ? 0 : Number(size.toExponential().split("e")[1]);
  let digits = rounded(size, 6 - exponent);
  if (digits >= 10_000_000n) {
    digits /= 10n;
    exponent += 1;
  }
  const text = digits.toString().padStart(7, "0");
  const power = Math.abs(exponent).toString().padStart(2, "0");
  const raised = power.replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹".charAt(Number(digit)));
  return `${value < 0 ? "-" : ""}${text.charAt(0)}.${text.slice(1)}×10${exponent < 0 ? "⁻" : ""}${raised}`;
}

const special = (value: number) => (Number.isNaN(value) ? "NaN" : value > 0 ? "∞" : "-∞");

/** `value · 10^places`, computed exactly, then rounded half to even. */
function rounded(value: number, places: number): bigint {
  const [mantissa, exponent] = parts(value);
  const numerator = mantissa * 10n ** BigInt(Math.max(0, places)) * 2n ** BigInt(Math.max(0, exponent));
  const denominator = 10n ** BigInt(Math.max(0, -places)) * 2n ** BigInt(Math.max(0, -exponent));
  const quotient = numerator / denominator;
  const rest = 2n * (numerator % denominator);
  return rest > denominator || (rest === denominator && quotient % 2n === 1n) ? quotient + 1n : quotient;
}

/** Splits a double into `mantissa · 2^exponent`. */
function parts(value: number): readonly [mantissa: bigint, exponent: number] {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const fraction = bits & (2n ** 52n - 1n);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  return exponent === 0 ? [fraction, -1074] : [fraction | (2n ** 52n), exponent - 1075];
}
