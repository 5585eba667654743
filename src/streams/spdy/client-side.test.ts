import { duplexPair } from "node:stream";
import { buffer } from "node:stream/consumers";
import { expect, test } from "vitest";
import { VirtualClock } from "../../util/virtual-clock.ts";
import { SpdyConnection } from "./connection.ts";
import { controlFrame, dataFrame, frameType } from "./frames.ts";
import { HeaderWriter } from "./headers.ts";

test("the client takes the last frames of a server that closes at once", async () => {
  const [wire, transport] = duplexPair();
  const connection = new SpdyConnection(transport, new VirtualClock());
  const running = connection.run();
  const streams = [await connection.open(new Map()), await connection.open(new Map())];
  wire.resume();
  const writer = new HeaderWriter();
  const frames: Buffer[] = [];
  for (const { id } of streams) {
    const number = Buffer.alloc(4);
    number.writeUInt32BE(id);
    const block = await writer.write(new Map());
    frames.push(controlFrame(frameType.synReply, 0, Buffer.concat([number, block])));
  }
  for (const { id } of streams) frames.push(dataFrame(id, Buffer.from(`answer ${id}`), true));
  // The connection closes while the first of the frames that have been read is decompressed.
  wire.write(Buffer.concat(frames), () => setImmediate(() => transport.destroy()));
  const read = await Promise.all(streams.map((stream) => buffer(stream)));
  expect(read.map(String)).toEqual(["answer 1", "answer 3"]);
  for (const stream of streams) stream.destroy();
  connection.end();
  await running;
});
