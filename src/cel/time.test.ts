import { describe, expect, test } from "vitest";
import { formatDuration, formatTimestamp, localTime, parseDuration, parseTimestamp } from "./time.ts";
import { CelError, Timestamp } from "./values.ts";

describe("durations", () => {
  test.each<[string, string | undefined]>([
    ["1h30m", "5400s"],
    ["-1.5s", "-1.5s"],
    ["0", "0s"],
    [".5s", "0.5s"],
    ["1.s", "1s"],
    ["1us", "0.000001s"],
    ["1ns", "0.000000001s"],
    ["0.1ns", "0s"],
    ["1ms2us3ns", "0.001002003s"],
    ["9223372036854775807ns", "9223372036.854776s"],
    ["9223372036854775808ns", undefined],
    ["-9223372036854775808ns", "-9223372036.854776s"],
    ["3000000h", undefined],
    ["1h-1m", undefined],
    [".s", undefined],
    ["1x", undefined],
    ["1 h", undefined],
    ["", undefined],
    ["5", undefined],
  ])("%j is parsed as in Go: %j", (text, expected) => {
    const duration = parseDuration(text);
    expect(duration && formatDuration(duration)).toBe(expected);
  });
});

describe("timestamps", () => {
  test.each<[string, string | undefined]>([
    ["2020-01-02T03:04:05Z", "2020-01-02T03:04:05Z"],
    ["2020-01-02T03:04:05.500Z", "2020-01-02T03:04:05.5Z"],
    ["2020-01-02T03:04:05.1234567899Z", "2020-01-02T03:04:05.123456789Z"],
    ["2020-01-02T03:04:05-08:30", "2020-01-02T03:04:05-08:30"],
    ["2020-01-01T00:00:00-00:00", "2020-01-01T00:00:00Z"],
    ["1969-12-31T23:59:59.9Z", "1969-12-31T23:59:59.9Z"],
    ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"],
    ["9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999999999Z"],
    ["0001-01-01T00:00:00+01:00", "timestamp overflow"],
    ["9999-12-31T23:59:59-01:00", "timestamp overflow"],
    ["2021-02-29T00:00:00Z", undefined],
    ["2020-01-01T24:00:00Z", undefined],
    ["2020-01-01T23:59:60Z", undefined],
    ["2020-01-01t00:00:00Z", undefined],
    ["2020-01-01T00:00:00", undefined],
    ["2020-1-1T00:00:00Z", undefined],
  ])("%j is parsed as in Go: %j", (text, expected) => {
    const time = parseTimestamp(text);
    expect(time instanceof CelError ? time.message : time && formatTimestamp(time)).toBe(expected);
  });

  test.each<[string, string]>([
    ["UTC", "2020-07-01T00:30:00.000Z"],
    ["", "2020-07-01T00:30:00.000Z"],
    ["Asia/Kolkata", "2020-07-01T06:00:00.000Z"],
    ["America/New_York", "2020-06-30T20:30:00.000Z"],
    ["+05:30", "2020-07-01T06:00:00.000Z"],
    ["-02:15", "2020-06-30T22:15:00.000Z"],
    ["02:00", "2020-07-01T02:30:00.000Z"],
    ["Nowhere/City", "unknown time zone Nowhere/City"],
    ["+0100", "unknown time zone +0100"],
    ["a:b", 'strconv.Atoi: parsing "a": invalid syntax'],
  ])("in the time zone %j it is %j", (zone, expected) => {
    const local = localTime(new Timestamp(Date.UTC(2020, 6, 1, 0, 30) / 1000, 0), zone);
    expect(local instanceof CelError ? local.message : local.toISOString()).toBe(expected);
  });
});
