import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Nursery } from "./nursery.ts";

describe("the nursery", () => {
  it("keeps every value unchanged, however many follow", () => {
    const values = fc.array(fc.uint8Array({ maxLength: 2000 }), { maxLength: 300 });
    fc.assert(
      fc.property(values, (all) => {
        const nursery = new Nursery();
        const placed = all.map((bytes) => nursery.place(bytes));
        expect(placed.map((bytes) => [...bytes])).toEqual(all.map((bytes) => [...bytes]));
      }),
      { numRuns: 20 },
    );
  });

  it("puts small values side by side, and gives a large one a buffer of its own", () => {
    const nursery = new Nursery();
    const [first, second] = [nursery.place(new Uint8Array(100)), nursery.place(new Uint8Array(100))];
    expect(second.buffer).toBe(first.buffer);
    expect(second.byteOffset).toBe(100);
    const large = nursery.place(new Uint8Array(100_000));
    expect(large.byteLength).toBe(large.buffer.byteLength);
  });
});
