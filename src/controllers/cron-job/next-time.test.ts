import { expect, test } from "vitest";
import { parseSchedule } from "../../api/batch/cron-job/schedule.ts";
import { nextTime } from "./next-time.ts";
import { formatIn, timeZoneOf } from "./time-zone.ts";

const next = (text: string, zoneName: string | undefined, from: string) => {
  const zone = timeZoneOf(zoneName);
  const time = nextTime(parseSchedule(text), zone, Date.parse(from));
  return time === undefined ? undefined : formatIn(zone, time);
};

// From robfig/cron's `TestNext`.
test.each([
  ["0/15 * * * *", "2012-07-09T14:45:00Z", "2012-07-09T15:00:00Z"],
  ["0/15 * * * *", "2012-07-09T14:59:59Z", "2012-07-09T15:00:00Z"],
  ["20-35/15 * * * *", "2012-07-09T15:45:00Z", "2012-07-09T16:20:00Z"],
  ["*/15 * * * *", "2012-07-09T23:46:00Z", "2012-07-10T00:00:00Z"],
  ["20-35/15 1/2 */2 * *", "2012-07-09T23:35:51Z", "2012-07-11T01:20:00Z"],
  ["0 0 9 Apr-Oct ?", "2012-07-09T23:35:00Z", "2012-08-09T00:00:00Z"],
  ["0 0 */5 Apr,Aug,Oct Mon", "2012-07-09T23:35:00Z", "2012-08-01T00:00:00Z"],
  ["0 0 * Feb Mon/2", "2012-07-09T23:35:00Z", "2013-02-01T00:00:00Z"],
  ["0 0 29 Feb ?", "2012-07-09T23:35:00Z", "2016-02-29T00:00:00Z"],
  ["59 23 31 2 *", "2012-07-09T23:35:00Z", undefined],
  ["@every 1h", "2012-07-09T14:45:00.500Z", "2012-07-09T15:45:00Z"],
  ["@every 2500ms", "2012-07-09T14:45:00Z", "2012-07-09T14:45:02Z"],
  ["0 0 1 * Mon", "2012-07-09T23:35:00Z", "2012-07-16T00:00:00Z"],
  ["0 0 1 * *", "2012-07-09T23:35:00Z", "2012-08-01T00:00:00Z"],
  ["0 0 29 2 *", "2096-03-01T00:00:00Z", undefined],
  ["0 0 29 2 *", "2099-03-01T00:00:00Z", "2104-02-29T00:00:00Z"],
  ["@every 100ms", "2012-07-09T14:45:00Z", "2012-07-09T14:45:01Z"],
])("%s is due after %s at %s", (text, from, expected) => {
  expect(next(text, undefined, from)).toBe(expected);
});

test.each([
  [
    "a schedule of each day follows the local time",
    "30 2 * * *",
    "Europe/Berlin",
    "2026-01-01T00:00:00Z",
    "2026-01-01T02:30:00+01:00",
  ],
  [
    "a local time that does not exist is skipped",
    "30 2 11 Mar ?",
    "America/New_York",
    "2012-03-11T05:00:00Z",
    "2013-03-11T02:30:00-04:00",
  ],
  [
    "a schedule of each hour has no gap when the clock is put forward",
    "0 * * * *",
    "America/New_York",
    "2012-03-11T06:00:00Z",
    "2012-03-11T03:00:00-04:00",
  ],
  [
    "a schedule of each hour has no gap when the clock is put back",
    "0 * * * *",
    "America/New_York",
    "2012-11-04T05:00:00Z",
    "2012-11-04T01:00:00-05:00",
  ],
  [
    "a day without midnight starts at one o'clock, west of Greenwich",
    "0 * 4 11 *",
    "America/Sao_Paulo",
    "2018-11-01T12:00:00Z",
    "2018-11-04T01:00:00-02:00",
  ],
  [
    "a day without midnight starts at one o'clock, east of Greenwich",
    "0 * 26 3 *",
    "Asia/Beirut",
    "2023-01-01T12:00:00Z",
    "2023-03-26T01:00:00+03:00",
  ],
  [
    "a zone may have half an hour",
    "0 9 * * *",
    "Asia/Kolkata",
    "2026-01-01T00:00:00Z",
    "2026-01-01T09:00:00+05:30",
  ],
])("%s", (_, text, zone, from, expected) => expect(next(text, zone, from)).toBe(expected));

test.each([undefined, "", "UTC", "Local"])("the time zone %j is UTC", (name) => {
  const zone = timeZoneOf(name);
  expect(zone.toLocal(1234)).toBe(1234);
  expect(zone.fromLocal(1234)).toBe(1234);
  expect(formatIn(zone, 0)).toBe("1970-01-01T00:00:00Z");
});

test("local times keep their milliseconds, before and after 1970", () => {
  const zone = timeZoneOf("Asia/Kolkata");
  const offset = 5.5 * 3_600_000;
  for (const time of [1, 999, 1_000_000_001, -1, -999, -1_000_000_001]) {
    expect(zone.toLocal(time)).toBe(time + offset);
    expect(zone.fromLocal(time + offset)).toBe(time);
  }
  expect(() => timeZoneOf("bad zone")).toThrow(RangeError);
});

test("the offset of a local time is that of its own day", () => {
  const zone = timeZoneOf("America/New_York");
  const local = Date.UTC(2012, 2, 11, 3);
  expect(zone.fromLocal(local) - local).toBe(4 * 3_600_000);
  expect(zone.fromLocal(local - 3_600_000 * 2) - local).toBe(3 * 3_600_000);
});
