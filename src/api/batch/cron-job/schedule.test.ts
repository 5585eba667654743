import { expect, test } from "vitest";
import { parseSchedule, ScheduleError } from "./schedule.ts";

function fields(text: string): Readonly<Record<string, unknown>> {
  const parsed = Object.entries(parseSchedule(text)).map(([name, field]) => {
    if (typeof field === "bigint") return [name, field];
    return [name, field.any ? "*" : [...field.values].join(",")];
  });
  return Object.fromEntries(parsed) as Record<string, unknown>;
}

const day = { minute: "0", hour: "0", dayOfMonth: "*", month: "*", dayOfWeek: "*" };

test.each<readonly [text: string, meaning: object]>([
  ["@daily", day],
  ["@weekly", { ...day, dayOfWeek: "0" }],
  ["0 0 1,15 * *", { ...day, dayOfMonth: "1,15" }],
  [
    "50/4,7 */6 ? JAN-mar sun",
    { minute: "50,54,58,7", hour: "0,6,12,18", dayOfMonth: "*", month: "1,2,3", dayOfWeek: "0" },
  ],
  ["CRON_TZ=Europe/Berlin 0 0 * * *", day],
  ["@every 1h30m", { every: 5_400_000_000_000n }],
])("%j is a valid schedule", (text, meaning) => expect(fields(text)).toEqual(meaning));

test.each<readonly [text: string, why: string]>([
  ["0 0 * *", "expected exactly 5 fields, found 4: [0 0 * *]"],
  ["60 * * * *", "end of range (60) above maximum (59): 60"],
  ["* * 0 * *", "beginning of range (0) below minimum (1): 0"],
  ["@noon", "unrecognized descriptor: @noon"],
  ["@every 3000000h", 'failed to parse duration @every 3000000h: time: invalid duration "3000000h"'],
  ["@every 3", 'failed to parse duration @every 3: time: missing unit in duration "3"'],
  ["@every 3d", 'failed to parse duration @every 3d: time: unknown unit "d" in duration "3d"'],
  ["TZ=Nowhere 0 0 * * *", "provided bad location Nowhere: unknown time zone Nowhere"],
])("%j is not a schedule", (text, why) => expect(() => parseSchedule(text)).toThrow(new ScheduleError(why)));
