import { parseGoDuration } from "../../../meta/protobuf/go-duration.ts";
import { isKnownTimeZone } from "./time-zone.ts";

/** Thrown when a text is not a schedule. The message is upstream's, from robfig/cron. */
export class ScheduleError extends Error {
  override readonly name = "ScheduleError";
}

/** The values that one field of a schedule allows. */
interface CronField {
  readonly values: ReadonlySet<number>;
  /** True for `*`: if one of the two day fields is `*`, only the other one counts. */
  readonly any: boolean;
}

/** A schedule: cron's five fields, or a fixed interval. */
export type Schedule =
  | { readonly every: bigint }
  | Readonly<Record<"minute" | "hour" | "dayOfMonth" | "month" | "dayOfWeek", CronField>>;

interface Bounds {
  readonly min: number;
  readonly max: number;
  /** The names of the values, in ascending order. */
  readonly names: readonly string[];
}

const minutes: Bounds = { min: 0, max: 59, names: [] };
const hours: Bounds = { min: 0, max: 23, names: [] };
const daysOfMonth: Bounds = { min: 1, max: 31, names: [] };
const months: Bounds = {
  min: 1,
  max: 12,
  names: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
};
const daysOfWeek: Bounds = { min: 0, max: 6, names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] };

const descriptors: ReadonlyMap<string, string> = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"],
]);

/** @throws ScheduleError */
export function parseSchedule(text: string): Schedule {
  const bare = withoutTimeZone(text);
  if (!bare.startsWith("@")) return parseFields(bare);
  const fields = descriptors.get(bare);
  if (fields !== undefined) return parseFields(fields);
  if (bare.startsWith("@every ")) return { every: parseInterval(bare.slice("@every ".length), bare) };
  throw new ScheduleError(`unrecognized descriptor: ${bare}`);
}

/** Removes the time zone, which is part of the grammar but only allowed in stored CronJobs. */
function withoutTimeZone(text: string): string {
  const match = /^(?:CRON_)?TZ=/.exec(text);
  if (match === null) return text;
  const end = text.indexOf(" ");
  // The message of the Go panic that upstream recovers from.
  if (end < 0) {
    throw new ScheduleError("invalid schedule format: runtime error: slice bounds out of range [:-1]");
  }
  const zone = text.slice(match[0].length, end);
  if (zone !== "" && zone !== "Local" && !isKnownTimeZone(zone)) {
    throw new ScheduleError(`provided bad location ${zone}: unknown time zone ${zone}`);
  }
  return text.slice(end).trim();
}

function parseInterval(text: string, descriptor: string): bigint {
  const parsed = parseGoDuration(text);
  if (parsed !== undefined) return parsed;
  const { unit } = /^[+-]?(?:[\d.]+(?:ns|us|µs|ms|s|m|h))*[\d.]+(?<unit>[^\d.]*)/.exec(text)?.groups ?? {};
  const quoted = JSON.stringify(text);
  const why =
    unit === undefined || /^(?:[nuµm]?s|m|h)$/.test(unit)
      ? `invalid duration ${quoted}`
      : unit === ""
        ? `missing unit in duration ${quoted}`
        : `unknown unit ${JSON.stringify(unit)} in duration ${quoted}`;
  throw new ScheduleError(`failed to parse duration ${descriptor}: time: ${why}`);
}

function parseFields(text: string): Schedule {
  const fields = text.split(/\s+/).filter((field) => field !== "");
  const [minute, hour, dayOfMonth, month, dayOfWeek] = fields;
  if (dayOfWeek === undefined || fields.length > 5) {
    throw new ScheduleError(`expected exactly 5 fields, found ${fields.length}: [${fields.join(" ")}]`);
  }
  return {
    minute: parseField(minute ?? "", minutes),
    hour: parseField(hour ?? "", hours),
    dayOfMonth: parseField(dayOfMonth ?? "", daysOfMonth),
    month: parseField(month ?? "", months),
    dayOfWeek: parseField(dayOfWeek, daysOfWeek),
  };
}

/** Parses ranges separated by commas. */
function parseField(text: string, bounds: Bounds): CronField {
  const values = new Set<number>();
  let any = false;
  for (const range of text.split(",").filter((one) => one !== "")) {
    const { start, end, step, star } = parseRange(range, bounds);
    for (let value = start; value <= end; value += step) values.add(value);
    any ||= star && step === 1;
  }
  return { values, any };
}

/** Parses `*`, `5`, `1-5` or `mon-fri`, optionally with `/step`. */
function parseRange(text: string, bounds: Bounds) {
  const [range = "", stepText, ...moreSteps] = text.split("/");
  const [low = "", high, ...moreEnds] = range.split("-");
  const star = low === "*" || low === "?";
  const start = star ? bounds.min : parseValue(low, bounds);
  if (!star && moreEnds.length > 0) throw new ScheduleError(`too many hyphens: ${text}`);
  let end = star ? bounds.max : high === undefined ? start : parseValue(high, bounds);
  if (moreSteps.length > 0) throw new ScheduleError(`too many slashes: ${text}`);
  const step = stepText === undefined ? 1 : parseInteger(stepText);
  if (stepText !== undefined && high === undefined) end = bounds.max;
  const { min, max } = bounds;
  if (start < min) {
    throw new ScheduleError(`beginning of range (${start}) below minimum (${min}): ${text}`);
  }
  if (end > max) throw new ScheduleError(`end of range (${end}) above maximum (${max}): ${text}`);
  if (start > end) {
    throw new ScheduleError(`beginning of range (${start}) beyond end of range (${end}): ${text}`);
  }
  if (step === 0) throw new ScheduleError(`step of range should be a positive number: ${text}`);
  return { start, end, step, star };
}

function parseValue(text: string, { min, names }: Bounds): number {
  const index = names.indexOf(text.toLowerCase());
  return index < 0 ? parseInteger(text) : min + index;
}

/** Parses an integer like Go's `strconv.Atoi`. */
function parseInteger(text: string): number {
  const isInteger = /^\+?\d+$/.test(text);
  if (isInteger && Number(text) < 2 ** 63) return Number(text);
  const why = isInteger ? "value out of range" : "invalid syntax";
  throw new ScheduleError(
    `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: ${why}`,
  );
}
