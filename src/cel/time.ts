import { add, checked, int64, integer, multiply, subtract } from "./integers.ts";
import { CelError, Duration, type Int, Timestamp } from "./values.ts";
import { table } from "../util/table.ts";

/** Timestamps and durations: Go's text forms, and arithmetic with range checks. */

const minSeconds = -62_135_596_800;
const maxSeconds = 253_402_300_799;
const second = 1_000_000_000;

const timestampOverflow = new CelError("timestamp overflow");

/** A timestamp, or an error unless it is between the years 1 and 9999. */
export function timestampOf(seconds: Int, nanos: number, offset = 0): Timestamp | CelError {
  if (seconds < minSeconds || seconds > maxSeconds) return timestampOverflow;
  return new Timestamp(Number(seconds), nanos, offset);
}

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))$/;

/** Parses RFC 3339 with any number of decimals, of which nine count. Undefined for other texts. */
export function parseTimestamp(text: string): Timestamp | CelError | undefined {
  const match = rfc3339.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, seconds = 0] = match.slice(1, 7).map(Number);
  const [fraction = "", sign = "+", offsetHours = "0", offsetMinutes = "0"] = match.slice(7);
  if (hour > 23 || minute > 59 || seconds > 59 || Number(offsetHours) > 24 || Number(offsetMinutes) > 60) {
    return undefined;
  }
  const date = dateOf(year, month, day);
  if (date === undefined) return undefined;
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === "-" ? -60 : 60);
  const unix = date / 1000 + hour * 3600 + minute * 60 + seconds - offset;
  return timestampOf(unix, Number(fraction.slice(0, 9).padEnd(9, "0")), offset);
}

/** Midnight of a calendar day, in milliseconds since 1970; undefined for an invalid date. */
function dateOf(year: number, month: number, day: number): number | undefined {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : undefined;
}

export function formatTimestamp({ seconds, nanos, offset }: Timestamp): string {
  const local = new Date((seconds + offset) * 1000).toISOString().slice(0, 19);
  const fraction = nanos === 0 ? "" : `.${String(nanos).padStart(9, "0").replace(/0+$/, "")}`;
  return `${local}${fraction}${offset === 0 ? "Z" : formatOffset(offset)}`;
}

function formatOffset(offset: number): string {
  const minutes = Math.floor(Math.abs(offset) / 60);
  const pad = (value: number) => String(value).padStart(2, "0");
  return `${offset < 0 ? "-" : "+"}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}

/** The units of Go's `time.ParseDuration`. µ has two encodings. */
const units: Readonly<Record<string, number>> = table({
  ns: 1,
  us: 1000,
  "\u00b5s": 1000,
  "\u03bcs": 1000,
  ms: 1_000_000,
  s: second,
  m: 60 * second,
  h: 3600 * second,
});

const durationPart = /(\d*)(?:\.(\d*))?(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/y;

/** Parses `1h30m` or `-1.5s`. Undefined when the text is invalid or out of range. */
export function parseDuration(text: string): Duration | undefined {
  const [, sign = "", body = ""] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  if (body === "0") return new Duration(0);
  if (body === "" || body.length > 1000) return undefined;
  let nanos = 0n;
  for (let at = 0; at < body.length; at = durationPart.lastIndex) {
    durationPart.lastIndex = at;
    const [, whole = "", fraction = "", unit = ""] = durationPart.exec(body) ?? [];
    const scale = units[unit];
    if (scale === undefined || whole + fraction === "") return undefined;
    nanos += BigInt(whole) * BigInt(scale) + BigInt(Math.trunc(Number(`0.${fraction}`) * scale));
  }
  const value = checked(int64, sign === "-" ? -nanos : nanos);
  return value instanceof CelError ? undefined : new Duration(value);
}

/** The duration in seconds, with as many decimals as necessary. */
export function formatDuration({ nanos }: Duration): string {
  const whole = BigInt(nanos) / BigInt(second);
  const rest = Number(BigInt(nanos) % BigInt(second));
  const seconds = Number(whole) + rest / second;
  const text = String(seconds);
  return `${text.includes("e") ? seconds.toFixed(9).replace(/0+$/, "") : text}s`;
}

export function addDurations(a: Duration, b: Duration): Duration | CelError {
  return durationOf(add(int64, a.nanos, b.nanos));
}

export function subtractDurations(a: Duration, b: Duration): Duration | CelError {
  return durationOf(subtract(int64, a.nanos, b.nanos));
}

const durationOf = (nanos: Int | CelError) => (nanos instanceof CelError ? nanos : new Duration(nanos));

export function addToTimestamp(time: Timestamp, { nanos }: Duration): Timestamp | CelError {
  const total = BigInt(time.seconds) * BigInt(second) + BigInt(time.nanos) + BigInt(nanos);
  const rest = ((total % BigInt(second)) + BigInt(second)) % BigInt(second);
  return timestampOf(integer((total - rest) / BigInt(second)), Number(rest), time.offset);
}

export function subtractFromTimestamp(time: Timestamp, { nanos }: Duration): Timestamp | CelError {
  const negative = subtract(int64, 0, nanos);
  return negative instanceof CelError ? negative : addToTimestamp(time, new Duration(negative));
}

export function between(later: Timestamp, earlier: Timestamp): Duration | CelError {
  const whole = multiply(int64, later.seconds - earlier.seconds, second);
  return durationOf(whole instanceof CelError ? whole : add(int64, whole, later.nanos - earlier.nanos));
}

/** The local time of a timestamp in a time zone: a date whose UTC fields are the local ones. */
export function localTime({ seconds }: Timestamp, zone: string): Date | CelError {
  const offset = zone.includes(":") ? numericOffset(zone) : namedOffset(zone, seconds);
  return offset instanceof CelError ? offset : new Date((seconds + offset) * 1000);
}

/** The offset of `+01:30` or `-08:00`, optionally without a sign, in seconds. */
function numericOffset(zone: string): number | CelError {
  const at = zone.indexOf(":");
  const [hours, minutes] = [zone.slice(0, at), zone.slice(at + 1)];
  const wrong = [hours, minutes].find((part) => !/^[+-]?\d{1,9}$/.test(part));
  if (wrong !== undefined)
    return new CelError(`strconv.Atoi: parsing ${JSON.stringify(wrong)}: invalid syntax`);
  const direction = zone.startsWith("-") ? -1 : 1;
  return (Number(hours) * 60 + direction * Number(minutes)) * 60;
}

/** The offset of a zone of the IANA database at a time. */
function namedOffset(zone: string, seconds: number): number | CelError {
  if (zone === "" || zone === "UTC") return 0;
  const format = /^[A-Za-z]/.test(zone) ? formatterOf(zone) : undefined;
  if (format === undefined) return new CelError(`unknown time zone ${zone}`);
  const parts = new Map(format.formatToParts(seconds * 1000).map(({ type, value }) => [type, value]));
  const part = (name: Intl.DateTimeFormatPartTypes) => Number(parts.get(name));
  // The year before year 1 is 1 BC.
  const year = parts.get("era") === "BC" ? 1 - part("year") : part("year");
  const midnight = dateOf(year, part("month"), part("day")) ?? 0;
  return midnight / 1000 + part("hour") * 3600 + part("minute") * 60 + part("second") - seconds;
}

function formatterOf(timeZone: string): Intl.DateTimeFormat | undefined {
  const field = "numeric";
  const fields = {
    year: field,
    month: field,
    day: field,
    hour: field,
    minute: field,
    second: field,
  } as const;
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone,
      hourCycle: "h23",
      calendar: "gregory",
      era: "short",
      ...fields,
    });
  } catch {
    return undefined;
  }
}
