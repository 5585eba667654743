import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { controlFrame, dataFrame, type Frame, FrameParser } from "./frames.ts";

function parse(chunks: Iterable<Buffer>): Frame[] {
  const parser = new FrameParser();
  return [...chunks].flatMap((chunk) => [...parser.push(chunk)]);
}

/** Joins the pieces of data frames, which depend on how the bytes arrived. */
function joined(frames: readonly Frame[]): unknown[] {
  const all: unknown[] = [];
  let data = "";
  for (const frame of frames) {
    if (frame.kind === "control") all.push([frame.type, frame.flags, frame.payload.toString("hex")]);
    else data += `${frame.stream}:${frame.payload.toString("hex")}${frame.fin ? " fin" : ""};`;
  }
  return [...all, data.replaceAll(/;(\d+):(?=[0-9a-f])/g, "").replaceAll(/(\d+):;/g, "")];
}

describe("frame parser", () => {
  test("reads the same frames however the bytes are split", () => {
    const frame = fc.oneof(
      fc
        .tuple(fc.integer({ min: 0, max: 12 }), fc.uint8Array({ maxLength: 40 }))
        .map(([type, payload]) => controlFrame(type, type % 2, payload)),
      fc
        .tuple(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.boolean())
        .map(([payload, fin]) => dataFrame(7, payload, fin)),
    );
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 6 }), fc.array(fc.nat(400)), (frames, cuts) => {
        const bytes = Buffer.concat(frames);
        const at = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
        const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
        expect(joined(parse(chunks))).toEqual(joined(parse([bytes])));
        expect(parse([bytes]).filter(({ kind }) => kind === "control")).toHaveLength(
          frames.filter((one) => (one[0] ?? 0) >= 0x80).length,
        );
      }),
    );
  });

  test("a data frame's end is on its last piece only, and an empty one ends a stream", () => {
    const bytes = dataFrame(3, Buffer.from("abc"), true);
    const pieces = parse([bytes.subarray(0, 9), bytes.subarray(9)]);
    expect(pieces.map((piece) => piece.kind === "data" && piece.fin)).toEqual([false, true]);
    expect(parse([dataFrame(3, Buffer.alloc(0), true)])).toMatchObject([{ stream: 3, fin: true }]);
  });

  test("a control frame past the bound, or of another protocol, is refused before it is collected", () => {
    const huge = Buffer.from([0x80, 3, 0, 1, 0, 0xff, 0xff, 0xff]);
    expect(() => parse([huge])).toThrow("a control frame is too large");
    expect(() => parse([Buffer.from([0x80, 2, 0, 1, 0, 0, 0, 0])])).toThrow("this is not SPDY/3");
  });

  test("any bytes are frames, an incomplete frame, or a SpdyError", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          parse([Buffer.from(bytes)]);
        } catch (error) {
          expect(error).toMatchObject({ name: "SpdyError" });
        }
      }),
    );
  });
});
