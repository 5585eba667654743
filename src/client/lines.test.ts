import fc from "fast-check";
import { expect, test } from "vitest";
import { LineSplitter } from "./lines.ts";

test("a line splitter gives the same lines wherever the bytes are cut", () => {
  const line = fc.string({ unit: "grapheme", minLength: 1 }).map((text) => JSON.stringify(text));
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat(30)), (lines, cuts) => {
      const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(""));
      const splitter = new LineSplitter(1_000_000);
      const read: string[] = [];
      let at = 0;
      for (const size of [...cuts, bytes.length]) {
        read.push(...splitter.push(bytes.subarray(at, at + size)));
        at += size;
      }
      splitter.end();
      expect(read).toEqual(lines);
    }),
  );
});

test("a line splitter never returns an incomplete line", () => {
  const splitter = new LineSplitter(100);
  expect(splitter.push(Buffer.from('{"a":1}\n\n{"b'))).toEqual(['{"a":1}']);
  expect(() => splitter.end()).toThrow("it ended inside an event, after 3 bytes");
});

test("a line splitter refuses a line that does not end", () => {
  const splitter = new LineSplitter(10);
  splitter.push(Buffer.from("12345"));
  expect(() => splitter.push(Buffer.from("678901"))).toThrow("more than 10 bytes");
});
