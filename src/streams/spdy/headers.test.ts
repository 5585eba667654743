import fc from "fast-check";
import { constants, createDeflate } from "node:zlib";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { dictionary } from "./dictionary.ts";
import { HeaderReader, HeaderWriter } from "./headers.ts";

test("the dictionary is SPDY/3's: its checksum is in every client's first header block", () => {
  let [a, b] = [1, 0];
  for (const byte of dictionary) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  expect(dictionary).toHaveLength(1423);
  expect(((b << 16) | a) >>> 0).toBe(0xe3c6a7c2);
});

describe("header blocks", () => {
  test("one compressed stream holds all blocks", async () => {
    const blocks = fc.array(
      fc.dictionary(fc.stringMatching(/^[a-z-]{1,12}$/), fc.string({ maxLength: 50 }), { maxKeys: 6 }),
      { maxLength: 5 },
    );
    await fc.assert(
      fc.asyncProperty(blocks, async (all) => {
        const writer = new HeaderWriter();
        const reader = new HeaderReader();
        for (const block of all) {
          const headers = new Map(Object.entries(block));
          expect(await reader.read(await writer.write(headers))).toEqual(headers);
        }
        writer.close();
        reader.close();
      }),
      { numRuns: 30 },
    );
  });

  test("a block that expands beyond the bound is refused", async () => {
    const bomb = createDeflate({ dictionary });
    bomb.end(Buffer.alloc(50 << 20));
    const bytes = Buffer.concat(await bomb.toArray());
    expect(bytes.length).toBeLessThan(64 * 1024);
    await expect(new HeaderReader().read(bytes)).rejects.toThrow("a header block is too large");
  });

  test("a block with wrong lengths is refused, and so is one that is not compressed", async () => {
    for (const [count, length] of [
      [0xffffffff, 0],
      [1, 0xffffffff],
      [1, 100],
    ] as const) {
      const block = Buffer.alloc(12);
      block.writeUInt32BE(count, 0);
      block.writeUInt32BE(length, 4);
      const deflate = createDeflate({ dictionary, finishFlush: constants.Z_SYNC_FLUSH });
      deflate.end(block);
      const [bytes] = (await once(deflate, "data")) as [Buffer];
      await expect(new HeaderReader().read(bytes)).rejects.toThrow("a header block ends early");
    }
    await expect(new HeaderReader().read(Buffer.from("plain text"))).rejects.toThrow(
      "a header block is not compressed",
    );
  });
});
