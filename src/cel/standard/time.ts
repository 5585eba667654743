import { type FunctionDeclaration, member } from "../declarations.ts";
import { integer } from "../integers.ts";
import { localTime } from "../time.ts";
import { duration, int, string, timestamp } from "../types.ts";
import { CelError, type Timestamp } from "../values.ts";

/**
 * Reads a part of a timestamp in a time zone. The UTC fields of `date` contain the local time of the zone.
 */
type Part = (date: Date, time: Timestamp) => number;

/** Declares a part in UTC and, with a second argument, in a time zone. */
function timestampPart(id: string, withZone: string, part: Part) {
  const at = (time: Timestamp, zone: string) => {
    const date = localTime(time, zone);
    return date instanceof CelError ? date : part(date, time);
  };
  return [
    member(id, [timestamp], int, (time) => at(time, "UTC")),
    member(withZone, [timestamp, string], int, at),
  ];
}

/** Declares a duration in whole units of this many nanoseconds. */
const durationPart = (id: string, unit: bigint) =>
  member(id, [duration], int, ({ nanos }) => integer(BigInt(nanos) / unit));

const day = 86_400_000;

function dayOfYear(date: Date): number {
  const start = new Date(0);
  start.setUTCFullYear(date.getUTCFullYear(), 0, 1);
  return Math.floor((date.getTime() - start.getTime()) / day);
}

export const time: readonly FunctionDeclaration[] = [
  {
    name: "getFullYear",
    overloads: timestampPart("timestamp_to_year", "timestamp_to_year_with_tz", (date) =>
      date.getUTCFullYear(),
    ),
  },
  {
    name: "getMonth",
    overloads: timestampPart("timestamp_to_month", "timestamp_to_month_with_tz", (date) =>
      date.getUTCMonth(),
    ),
  },
  {
    name: "getDayOfYear",
    overloads: timestampPart("timestamp_to_day_of_year", "timestamp_to_day_of_year_with_tz", dayOfYear),
  },
  {
    name: "getDayOfMonth",
    overloads: timestampPart(
      "timestamp_to_day_of_month",
      "timestamp_to_day_of_month_with_tz",
      (date) => date.getUTCDate() - 1,
    ),
  },
  {
    name: "getDate",
    overloads: timestampPart(
      "timestamp_to_day_of_month_1_based",
      "timestamp_to_day_of_month_1_based_with_tz",
      (date) => date.getUTCDate(),
    ),
  },
  {
    name: "getDayOfWeek",
    overloads: timestampPart("timestamp_to_day_of_week", "timestamp_to_day_of_week_with_tz", (date) =>
      date.getUTCDay(),
    ),
  },
  {
    name: "getHours",
    overloads: [
      ...timestampPart("timestamp_to_hours", "timestamp_to_hours_with_tz", (date) => date.getUTCHours()),
      durationPart("duration_to_hours", 3_600_000_000_000n),
    ],
  },
  {
    name: "getMinutes",
    overloads: [
      ...timestampPart("timestamp_to_minutes", "timestamp_to_minutes_with_tz", (date) =>
        date.getUTCMinutes(),
      ),
      durationPart("duration_to_minutes", 60_000_000_000n),
    ],
  },
  {
    name: "getSeconds",
    overloads: [
      ...timestampPart("timestamp_to_seconds", "timestamp_to_seconds_tz", (date) => date.getUTCSeconds()),
      durationPart("duration_to_seconds", 1_000_000_000n),
    ],
  },
  {
    name: "getMilliseconds",
    overloads: [
      ...timestampPart("timestamp_to_milliseconds", "timestamp_to_milliseconds_with_tz", (_date, { nanos }) =>
        Math.floor(nanos / 1_000_000),
      ),
      durationPart("duration_to_milliseconds", 1_000_000n),
    ],
  },
];
