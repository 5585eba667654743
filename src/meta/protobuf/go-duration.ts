import { table } from "../../util/table.ts";

const second = 1_000_000_000n;
const units: Readonly<Record<string, bigint>> = table({
  ns: 1n,
  us: 1000n,
  // The micro sign, which Go writes, and the Greek letter.
  "\u00b5s": 1000n,
  "\u03bcs": 1000n,
  ms: 1_000_000n,
  s: second,
  m: 60n * second,
  h: 3600n * second,
});

/** Nanoseconds as Go writes a duration: `1h0m1.5s`, `2.5ms`, `0s`. */
export function formatGoDuration(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return "0s";
  const sign = nanoseconds < 0n ? "-" : "";
  const magnitude = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  if (magnitude < second) {
    const unit = magnitude < 1000n ? "ns" : magnitude < 1_000_000n ? "µs" : "ms";
    return `${sign}${decimal(magnitude, units[unit] ?? 1n)}${unit}`;
  }
  const hours = magnitude / (3600n * second);
  const minutes = (magnitude / (60n * second)) % 60n;
  const seconds = `${decimal(magnitude % (60n * second), second)}s`;
  if (hours > 0n) return `${sign}${hours}h${minutes}m${seconds}`;
  return minutes > 0n ? `${sign}${minutes}m${seconds}` : sign + seconds;
}

function decimal(value: bigint, unit: bigint): string {
  const digits = String(unit).length - 1;
  const fraction = String(value % unit)
    .padStart(digits, "0")
    .replace(/0+$/, "");
  return digits === 0 || fraction === "" ? String(value / unit) : `${value / unit}.${fraction}`;
}

/** The greatest magnitude, which only a negative duration has. */
const limit = 2n ** 63n;

/**
 * The nanoseconds of a Go duration; undefined when the text is invalid, or beyond 64 bits. Fractions are rounded as by
 * Go, in floating point.
 */
export function parseGoDuration(text: string): bigint | undefined {
  const match = /^([+-]?)(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[nu\u00b5\u03bcm]?s|m|h))+)$/.exec(text);
  if (match === null) return undefined;
  let sum = 0n;
  for (const [, whole = "", fraction = "", unit = ""] of text.matchAll(
    /(\d*)(?:\.(\d*))?([nu\u00b5\u03bcm]?s|m|h)/g,
  )) {
    const digits = whole.replace(/^0+/, "");
    // Many digits would take quadratic time.
    if (digits.length > 19) return undefined;
    const size = units[unit] ?? 0n;
    sum += BigInt(digits) * size + fractionOf(fraction, size);
    if (sum > limit) return undefined;
  }
  if (match[1] === "-") return -sum;
  return sum === limit ? undefined : sum;
}

/** The nanoseconds of the digits after the point. Digits that do not fit in 64 bits are left out. */
function fractionOf(digits: string, unit: bigint): bigint {
  let value = 0n;
  let scale = 1;
  // After so many zeros, nothing is left.
  for (const digit of digits.slice(0, 350)) {
    const next = value * 10n + BigInt(digit);
    if (next > limit) break;
    value = next;
    scale *= 10;
  }
  return BigInt(Math.trunc(Number(value) * (Number(unit) / scale)));
}
