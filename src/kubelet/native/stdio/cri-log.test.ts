import { expect, test } from "vitest";
import { CriLogFormatter, maxEntryBytes } from "./cri-log.ts";

const formatter = () => new CriLogFormatter("stdout", () => Date.UTC(2026, 0, 2, 3, 4, 5, 6));
const prefix = "2026-01-02T03:04:05.006000000Z stdout";

test("each line becomes a full entry, whatever chunks it comes in", () => {
  const log = formatter();
  const entries = ["a", "b\n\nc", "\n"].map((chunk) => log.push(Buffer.from(chunk)).toString());
  expect(entries.join("")).toBe(`${prefix} F ab\n${prefix} F \n${prefix} F c\n`);
  expect(log.end().length).toBe(0);
});

test("the rest at the end of the stream is partial", () => {
  const log = formatter();
  expect(log.push(Buffer.from("prompt> ")).length).toBe(0);
  expect(log.end().toString()).toBe(`${prefix} P prompt> \n`);
});

test("a line of exactly the limit is whole, a longer one is split", () => {
  const log = formatter();
  const tags = (size: number) =>
    log
      .push(Buffer.from(`${"x".repeat(size)}\n`))
      .toString()
      .match(/stdout [FP]/g);
  expect(tags(maxEntryBytes)).toEqual(["stdout F"]);
  expect(tags(maxEntryBytes + 1)).toEqual(["stdout P", "stdout F"]);
});
