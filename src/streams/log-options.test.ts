import { describe, expect, test } from "vitest";
import { parseLogOptions } from "./log-options.ts";

const now = Date.parse("2026-01-01T12:00:00Z");
const parse = (query: string) => parseLogOptions(new URLSearchParams(query), "p", now);
const defaults = { follow: false, previous: false, timestamps: false, stream: "All" };

describe("options of a log", () => {
  test("are all optional", () => {
    expect(parse("")).toEqual(defaults);
  });

  test("are parsed from the query, relative times as absolute ones", () => {
    expect(parse("follow=true&previous=1&timestamps=true&tailLines=0&limitBytes=9&sinceSeconds=60")).toEqual({
      follow: true,
      previous: true,
      timestamps: true,
      stream: "All",
      tailLines: 0,
      limitBytes: 9,
      since: now - 60_000,
    });
    expect(parse("sinceTime=2026-01-01T11:00:00%2B01:00&stream=Stderr")).toEqual({
      ...defaults,
      since: Date.parse("2026-01-01T10:00:00Z"),
      stream: "Stderr",
    });
  });

  test.each([
    ["tailLines=-1", "tailLines: Invalid value: -1: must be greater than or equal to 0"],
    ["limitBytes=0", "limitBytes: Invalid value: 0: must be greater than 0"],
    ["sinceSeconds=0", "sinceSeconds: Invalid value: 0: must be greater than 0"],
    ["sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z", "at most one of `sinceTime` or `sinceSeconds`"],
    ["stream=Both", 'stream: Unsupported value: "Both"'],
    ["stream=Stdout&tailLines=1", "`tailLines` and specific `stream` are mutually exclusive"],
  ])("%s is invalid", (query, message) => {
    expect(() => parse(query)).toThrow(
      expect.objectContaining({ code: 422, message: expect.stringContaining(message) as string }),
    );
  });

  test.each(["tailLines=many", "limitBytes=1.5", "sinceSeconds=9e9e9", "sinceTime=yesterday"])(
    "%s cannot be parsed",
    (query) => {
      expect(() => parse(query)).toThrow(expect.objectContaining({ code: 400 }));
    },
  );
});
