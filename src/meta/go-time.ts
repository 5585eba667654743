/** Reads times in RFC 3339 as Go's `time.Parse` does, with its messages. */

/** Thrown when a text is not a time in the expected layout. */
export class TimeError extends Error {
  override readonly name = "TimeError";
}

/** A part of a layout. */
interface Part {
  /** The text before the part, in times and in the layout. */
  readonly before: string;
  /** The part in the layout. */
  readonly layout: string;
  readonly form: RegExp;
  /** The name of what is out of range in a part that has the form. */
  readonly excess?: (part: string) => string | undefined;
}

function part(before: string, layout: string, form: RegExp, excess?: Part["excess"]): Part {
  return { before, layout, form, ...(excess && { excess }) };
}

function within(name: string, least: number, most: number): Part["excess"] {
  return (number) => (Number(number) < least || Number(number) > most ? name : undefined);
}

/** Go allows offsets of 24 hours, and of 60 minutes. */
function zoneExcess(zone: string): string | undefined {
  const [hour, minute] = zoneOf(zone);
  if (hour > 24) return "time zone offset hour";
  return minute > 60 ? "time zone offset minute" : undefined;
}

/** The offset of a zone; both numbers of `Z` are 0. */
function zoneOf(zone: string): readonly [hour: number, minute: number] {
  return [Number(zone.slice(1, 3)), Number(zone.slice(4))];
}

/** Go reads an hour of one digit, too. */
const dateAndTime = [
  part("", "2006", /^\d{4}/),
  part("-", "01", /^\d\d/, within("month", 1, 12)),
  part("-", "02", /^\d\d/),
  part("T", "15", /^\d\d?/, within("hour", 0, 23)),
  part(":", "04", /^\d\d/, within("minute", 0, 59)),
  part(":", "05", /^\d\d/, within("second", 0, 59)),
];
const zone = part("", "Z07:00", /^(?:Z|[-+]\d\d:\d\d)/, zoneExcess);

/** The layout of times with whole seconds: it is always written without a fraction, and read with any. */
const toSeconds = [...dateAndTime, part("", "", /^(?:[.,]\d+)?/), zone];
/** The layout of times with six fractional digits. */
const toMicroseconds = [...dateAndTime, part("", ".000000", /^[.,]\d{6}/), zone];

/**
 * Matches most canonical times: all but the 31st and the 29th of February. Objects from the store have no others, and
 * reading the parts takes ten times as long.
 */
const canonical =
  /^(?!0001)\d{4}-(?:(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8]))T(?:[01]\d|2[0-3])(?::[0-5]\d){2}Z$/;
const canonicalMicro = new RegExp(canonical.source.replace("Z$", "\\.\\d{6}Z$"));

/** Returns the canonical form of a `Time`, in UTC and whole seconds; undefined for the zero time. @throws TimeError */
export function canonicalTime(text: string): string | undefined {
  if (canonical.test(text)) return text;
  const { seconds } = read(text, toSeconds);
  return seconds === zeroSeconds ? undefined : `${seconds}Z`;
}

/** Returns the canonical form of a `MicroTime`, in UTC; undefined for the zero time. @throws TimeError */
export function canonicalMicroTime(text: string): string | undefined {
  if (canonicalMicro.test(text)) return text;
  const { seconds, fraction } = read(text, toMicroseconds);
  const digits = fraction.slice(1);
  return seconds === zeroSeconds && Number(digits) === 0 ? undefined : `${seconds}.${digits}Z`;
}

/** Go's zero time, which is null in JSON. */
const zeroSeconds = "0001-01-01T00:00:00";

/** Reads a time. `seconds` is in UTC, without the zone. */
function read(
  text: string,
  layout: readonly Part[],
): { readonly seconds: string; readonly fraction: string } {
  const [year = "", month = "", day = "", hour = "", minute = "", second = "", fraction = "", offset = ""] =
    partsOf(text, layout);
  const local = new Date(`${year}-${month}-${day}T${hour.padStart(2, "0")}:${minute}:${second}Z`);
  // A day beyond its month is in the next one.
  if (local.getUTCDate() !== Number(day))
    throw new TimeError(`parsing time ${quote(text)}: day out of range`);
  const [hours, minutes] = zoneOf(offset);
  const ahead = (offset.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * 60_000;
  const seconds = new Date(local.getTime() - ahead).toISOString().slice(0, -".000Z".length);
  // Upstream accepts and writes such a time, which then nobody can read.
  if (!/^\d{4}-/.test(seconds))
    throw new TimeError(`parsing time ${quote(text)}: year outside of range [0,9999]`);
  return { seconds, fraction };
}

function partsOf(text: string, layout: readonly Part[]): readonly string[] {
  let rest = text;
  const parts: string[] = [];
  for (const { before, layout: own, form, excess } of layout) {
    if (!rest.startsWith(before)) throw cannotParse(text, layout, rest, before);
    rest = rest.slice(before.length);
    const found = form.exec(rest)?.[0];
    if (found === undefined) throw cannotParse(text, layout, rest, own);
    rest = rest.slice(found.length);
    const name = excess?.(found);
    if (name !== undefined) throw new TimeError(`parsing time ${quote(text)}: ${name} out of range`);
    parts.push(found);
  }
  if (rest !== "") throw new TimeError(`parsing time ${quote(text)}: extra text: ${quote(rest)}`);
  return parts;
}

function cannotParse(text: string, layout: readonly Part[], rest: string, expected: string): TimeError {
  const whole = layout.map((one) => one.before + one.layout).join("");
  return new TimeError(
    `parsing time ${quote(text)} as "${whole}": cannot parse ${quote(rest)} as "${expected}"`,
  );
}

/** Quotes as Go's package `time`: the bytes of what is not ASCII are written in hexadecimal. */
function quote(text: string): string {
  const bytes = Buffer.from(text.replace(/["\\]/g, "\\$&")).toString("latin1");
  return `"${bytes.replace(/[^ -\x7f]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, "0")}`)}"`;
}
