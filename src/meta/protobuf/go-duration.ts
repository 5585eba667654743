import { table } from "../../util/table.ts";

const second = 1_000_000_000n;
const units: Readonly<Record<string, bigint>> = table({
  ns: 1n,
  us: 1000n,
  µs: 1000n,
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

/** The nanoseconds of a Go duration; undefined when the text is invalid. */
export function parseGoDuration(text: string): bigint | undefined {
  const match = /^([+-]?)((?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h))+$/.exec(text);
  if (match === null) return text === "0" ? 0n : undefined;
  let sum = 0n;
  for (const [, whole = "", fraction = "", unit = ""] of text.matchAll(
    /(\d*)(?:\.(\d*))?(ns|us|µs|ms|s|m|h)/g,
  )) {
    const scale = 10n ** BigInt(fraction.length);
    sum += (BigInt(whole + fraction) * (units[unit] ?? 1n)) / scale;
  }
  return match[1] === "-" ? -sum : sum;
}
