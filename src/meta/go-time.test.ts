import fc from "fast-check";
import { expect, it } from "vitest";
import { canonicalMicroTime, canonicalTime, TimeError } from "./go-time.ts";

/** Times with their form in Go's JSON. */
it.each([
  ["2024-05-01T12:00:00Z", "2024-05-01T12:00:00Z"],
  ["2024-05-01T12:00:00.999999999999Z", "2024-05-01T12:00:00Z"],
  ["2024-05-01T12:00:00,5Z", "2024-05-01T12:00:00Z"],
  ["2024-05-01T1:00:00Z", "2024-05-01T01:00:00Z"],
  ["2024-05-01T12:00:00+02:30", "2024-05-01T09:30:00Z"],
  ["2024-05-01T12:00:00-00:30", "2024-05-01T12:30:00Z"],
  ["2024-05-01T01:00:00+24:60", "2024-04-30T00:00:00Z"],
  ["2024-02-29T23:59:59Z", "2024-02-29T23:59:59Z"],
  ["2024-12-31T23:59:59-00:01", "2025-01-01T00:00:59Z"],
  ["0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z"],
  ["0001-12-01T00:00:00Z", "0001-12-01T00:00:00Z"],
  ["9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"],
  ["0001-01-01T00:00:00Z", undefined],
  ["0001-01-01T01:00:00+01:00", undefined],
])("%s is %s", (text, expected) => {
  expect(canonicalTime(text)).toBe(expected);
});

it.each([
  ["2024-05-01T12:00:00.123456Z", "2024-05-01T12:00:00.123456Z"],
  ["2024-05-01T12:00:00,123456Z", "2024-05-01T12:00:00.123456Z"],
  ["2024-05-31T12:00:00.999999+05:30", "2024-05-31T06:30:00.999999Z"],
  ["0001-01-01T00:00:00.000001Z", "0001-01-01T00:00:00.000001Z"],
  ["0001-01-01T00:00:00.000000Z", undefined],
])("with microseconds, %s is %s", (text, expected) => {
  expect(canonicalMicroTime(text)).toBe(expected);
});

/** Texts with the end of Go's messages, of which the first part is the text itself. */
it.each([
  ["", 'cannot parse "" as "2006"'],
  [" 2024-05-01T01:00:00Z", 'cannot parse " 2024-05-01T01:00:00Z" as "2006"'],
  ["-0001-01-01T00:00:00Z", 'cannot parse "-0001-01-01T00:00:00Z" as "2006"'],
  ["2024", 'cannot parse "" as "-"'],
  ["2024-5-01T01:00:00Z", 'cannot parse "5-01T01:00:00Z" as "01"'],
  ["2024-05-1T01:00:00Z", 'cannot parse "1T01:00:00Z" as "02"'],
  ["2024-05-01 01:00:00Z", 'cannot parse " 01:00:00Z" as "T"'],
  ["2024-05-01t01:00:00Z", 'cannot parse "t01:00:00Z" as "T"'],
  ["2024-05-01TX", 'cannot parse "X" as "15"'],
  ["2024-05-01T001:00:00Z", 'cannot parse "1:00:00Z" as ":"'],
  ["2024-05-01T01:0:00Z", 'cannot parse "0:00Z" as "04"'],
  ["2024-05-01T01:00:0Z", 'cannot parse "0Z" as "05"'],
  ["2024-05-01T01:00:00", 'cannot parse "" as "Z07:00"'],
  ["2024-05-01T01:00:00.Z", 'cannot parse ".Z" as "Z07:00"'],
  ["2024-05-01T01:00:00z", 'cannot parse "z" as "Z07:00"'],
  ["2024-05-01T01:00:00*07:00", 'cannot parse "*07:00" as "Z07:00"'],
  ["2024-05-01T01:00:00+0700", 'cannot parse "+0700" as "Z07:00"'],
])("%j cannot be parsed", (text, message) => {
  const whole = `parsing time ${JSON.stringify(text)} as "2006-01-02T15:04:05Z07:00": ${message}`;
  expect(() => canonicalTime(text)).toThrow(new TimeError(whole));
});

it.each([
  ["2024-05-01T12:00:00Z", 'cannot parse "Z" as ".000000"'],
  ["2024-05-01T12:00:00.12345Z", 'cannot parse ".12345Z" as ".000000"'],
  ["2024-05-01T12:00:00.1234567Z", 'cannot parse "7Z" as "Z07:00"'],
])("with microseconds, %j cannot be parsed", (text, message) => {
  const whole = `parsing time ${JSON.stringify(text)} as "2006-01-02T15:04:05.000000Z07:00": ${message}`;
  expect(() => canonicalMicroTime(text)).toThrow(new TimeError(whole));
});

it.each([
  ["2024-00-01T01:00:00Z", "month out of range"],
  ["2024-13-01T01:00:00Z", "month out of range"],
  ["2024-05-00T01:00:00Z", "day out of range"],
  ["2024-05-32T01:00:00Z", "day out of range"],
  ["2024-04-31T01:00:00Z", "day out of range"],
  ["2024-02-30T01:00:00Z", "day out of range"],
  ["2023-02-29T01:00:00Z", "day out of range"],
  ["2024-05-01T24:00:00Z", "hour out of range"],
  ["2024-05-01T01:60:00Z", "minute out of range"],
  ["2024-05-01T23:59:60Z", "second out of range"],
  ["2024-05-01T01:00:60+99:99x", "second out of range"],
  ["2024-05-01T01:00:00+25:00", "time zone offset hour out of range"],
  ["2024-05-01T01:00:00+00:61", "time zone offset minute out of range"],
  ["2024-05-01T01:00:00Zx", 'extra text: "x"'],
  ["9999-12-31T23:59:59-01:00", "year outside of range [0,9999]"],
  ["0000-01-01T00:00:00+01:00", "year outside of range [0,9999]"],
])("%j is out of range", (text, message) => {
  expect(() => canonicalTime(text)).toThrow(
    new TimeError(`parsing time ${JSON.stringify(text)}: ${message}`),
  );
});

it("messages quote the bytes of what is not ASCII", () => {
  expect(() => canonicalTime('"\\é\u0001~')).toThrow(String.raw`parsing time "\"\\\xc3\xa9\x01~" as`);
});

it("a canonical time is what a clock shows, and is read as itself", () => {
  const within = { min: new Date("0002-01-01T00:00:00Z"), max: new Date("9999-12-31T23:59:59Z") };
  fc.assert(
    fc.property(
      fc.date({ ...within, noInvalidDate: true }),
      fc.integer({ min: -1440, max: 1440 }),
      (date, ahead) => {
        const seconds = date.toISOString().slice(0, 19);
        expect(canonicalTime(`${seconds}Z`)).toBe(`${seconds}Z`);
        expect(canonicalMicroTime(`${seconds}.000001Z`)).toBe(`${seconds}.000001Z`);
        const local = new Date(date.getTime() + ahead * 60_000).toISOString();
        if (!/^\d{4}-/.test(local)) return;
        const [hours, minutes] = [Math.floor(Math.abs(ahead) / 60), Math.abs(ahead) % 60];
        const zone = `${ahead < 0 ? "-" : "+"}${String(hours).padStart(2, "0")}:${String(minutes).padStart(2, "0")}`;
        expect(canonicalTime(local.slice(0, 19) + zone)).toBe(`${seconds}Z`);
      },
    ),
  );
});
