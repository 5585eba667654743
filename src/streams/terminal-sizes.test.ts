import fc from "fast-check";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { followSizes } from "./terminal-sizes.ts";

async function sizesOf(chunks: readonly (string | Uint8Array)[]): Promise<readonly string[]> {
  const stream = new PassThrough();
  const sizes: string[] = [];
  followSizes(stream, ({ width, height }) => sizes.push(`${width}x${height}`));
  for (const chunk of chunks) stream.write(chunk);
  stream.end();
  await new Promise((resolve) => stream.once("close", resolve));
  return sizes;
}

test("sizes arrive in order, however they are cut or joined on the way", async () => {
  const size = fc.tuple(fc.integer({ min: 1, max: 65_535 }), fc.integer({ min: 1, max: 65_535 }));
  const property = fc.asyncProperty(fc.array(size), fc.array(fc.nat(60)), async (sizes, cuts) => {
    let rest = sizes.map(([Width, Height]) => `${JSON.stringify({ Width, Height })}\n`).join("");
    const chunks: string[] = [];
    for (const cut of cuts) {
      chunks.push(rest.slice(0, cut));
      rest = rest.slice(cut);
    }
    expect(await sizesOf([...chunks, rest])).toEqual(sizes.map(([width, height]) => `${width}x${height}`));
  });
  await fc.assert(property);
});

test.each([
  ['{"Width":0,"Height":5}', []],
  ['{"Width":65536,"Height":5}', []],
  ['{"Width":1.5,"Height":5}', []],
  ['{"Width":"80","Height":24}', []],
  ['{"Width":80}', []],
  ["{nonsense}", []],
  ["null [] 5", []],
  ['{"Width":{"Height":1}}', []],
  ['{nonsense}{"Width":80,"Height":24}', ["80x24"]],
  ['{"Width":80,"Height":24}{"Width":1', ["80x24"]],
])("%s holds the sizes %j", async (text, sizes) => {
  expect(await sizesOf([text])).toEqual(sizes);
});

test("nonsense without end is forgotten, and what follows is read", async () => {
  const nonsense = Array.from({ length: 100 }, () => Buffer.alloc(64 * 1024, "{"));
  expect(await sizesOf([...nonsense, '{"Width":80,"Height":24}'])).toEqual(["80x24"]);
});

test("whatever bytes come, a size is a pair of numbers that a terminal can have", async () => {
  const property = fc.asyncProperty(fc.array(fc.uint8Array()), async (chunks) => {
    for (const size of await sizesOf(chunks)) expect(size).toMatch(/^[1-9]\d{0,4}x[1-9]\d{0,4}$/);
  });
  await fc.assert(property);
});
