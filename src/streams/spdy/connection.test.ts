import fc from "fast-check";
import { duplexPair } from "node:stream";
import { buffer } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { TestClient } from "./client.suite.ts";
import { VirtualClock } from "../../util/virtual-clock.ts";
import { SpdyConnection } from "./connection.ts";
import { controlFrame, FrameParser, frameType, streamFrame } from "./frames.ts";
import type { SpdyStream } from "./stream.ts";

/** Recorded from kubectl 1.27: `exec -i`, with `hi\n` on standard input. */
const recorded = Buffer.from(
  "80030001000000290000000100000000000078f9e3c6a7c26260606004a7b392a2d4c45c6851c29a0a0a6800000000ffff" +
    "800300010000001700000003000000000000c22e555c92929907000000ffff" +
    "800300010000001900000005000000000000c22ac5565c92925f5a02000000ffff" +
    "800300010000001500000007000000000000c229975a5404000000ffff" +
    "000000030000000368690a0000000301000000",
  "hex",
);

describe("SPDY connection", () => {
  test("understands a recorded session of kubectl", async () => {
    const client = new TestClient();
    client.wire.write(recorded);
    for (const id of [1, 3, 5, 7]) {
      const reply = await client.next();
      expect(reply).toMatchObject({ kind: "control", type: frameType.synReply });
      expect(reply?.payload.readUInt32BE(0)).toBe(id);
    }
    expect(client.streams.map(({ headers }) => headers.get("streamtype"))).toEqual([
      "error",
      "stdin",
      "stdout",
      "stderr",
    ]);
    const stdin = client.streams[1];
    expect(stdin === undefined ? "" : String(await buffer(stdin))).toBe("hi\n");
  });

  test("each direction of a stream ends separately", async () => {
    const client = new TestClient();
    const stream = await client.stream(1);
    stream.end("answer");
    expect(await client.next()).toMatchObject({ stream: 1, payload: Buffer.from("answer"), fin: false });
    expect(await client.next()).toMatchObject({ stream: 1, fin: true });
    client.data(1, "late question", true);
    expect(String(await buffer(stream))).toBe("late question");
  });

  test("a reset by the client destroys the stream without a reset in reply", async () => {
    const client = new TestClient();
    const stream = await client.stream(1);
    const closed = new Promise((resolve) => stream.once("close", resolve));
    client.wire.write(streamFrame(frameType.reset, 1, 5));
    await closed;
    client.data(1, "on its way before");
    client.wire.write(controlFrame(frameType.ping, 0, Buffer.from([0, 0, 0, 9])));
    expect(await client.next()).toMatchObject({ type: frameType.ping, payload: Buffer.from([0, 0, 0, 9]) });
  });

  test("a stream that the server destroys is reset", async () => {
    const client = new TestClient();
    (await client.stream(1)).destroy();
    const frame = await client.next();
    expect([frame?.kind === "control" && frame.type, frame?.payload]).toEqual([
      frameType.reset,
      Buffer.from([0, 0, 0, 1, 0, 0, 0, 5]),
    ]);
  });

  test("streams beyond the bound are refused, and their headers are still decompressed", async () => {
    const client = new TestClient();
    for (let id = 1; id < 2001; id += 2) await client.stream(id, { port: String(id) });
    await client.open(2001, { port: "one too many" });
    const refused = await client.next();
    expect(refused).toMatchObject({
      type: frameType.reset,
      payload: Buffer.from([0, 0, 7, 0xd1, 0, 0, 0, 3]),
    });
    client.streams[0]?.destroy();
    await client.next();
    expect((await client.stream(2003, { port: "again" })).headers.get("port")).toBe("again");
  });

  test("an unread stream stops the client", async () => {
    const client = new TestClient();
    const stream = await client.stream(1);
    const block = "x".repeat(60_000);
    let sent = 0;
    while (client.data(1, block) && sent < 100) {
      sent++;
      await client.clock.settle();
    }
    expect(sent).toBeLessThan(100);
    let received = 0;
    client.data(1, "", true);
    for await (const chunk of stream) received += (chunk as Buffer).length;
    expect(received).toBe((sent + 1) * block.length);
  });

  test("streams end with their connection", async () => {
    const client = new TestClient();
    const stream = await client.stream(1);
    const closed = new Promise((resolve) => stream.once("close", resolve));
    client.wire.destroy();
    await closed;
    await client.ended;
    expect(client.connection.gone.aborted).toBe(true);
  });

  test("a client that does not close after the end is disconnected", async () => {
    const client = new TestClient();
    await client.stream(1);
    client.connection.end();
    expect(await client.next()).toBeUndefined();
    await client.clock.advance(5000);
    await client.ended;
    expect(client.connection.gone.aborted).toBe(true);
  });

  test("pings the client, so that a lost connection is detected", async () => {
    const client = new TestClient();
    await client.clock.advance(30_000);
    expect(await client.next()).toMatchObject({ type: frameType.ping, payload: Buffer.from([0, 0, 0, 2]) });
  });

  test("the client's stream numbers must be odd and ascending", async () => {
    const even = new TestClient();
    await even.open(2);
    await expect(even.ended).rejects.toThrow("the client may not open stream 2");
    const again = new TestClient();
    await again.stream(3);
    await again.open(3);
    await expect(again.ended).rejects.toThrow("the client may not open stream 3");
  });

  test("whatever a client sends, the connection ends in order", async () => {
    const control = fc
      .tuple(fc.integer({ min: 0, max: 10 }), fc.nat(255), fc.uint8Array({ maxLength: 30 }))
      .map(([type, flags, payload]) => controlFrame(type, flags, payload));
    const noise = fc.array(fc.oneof(control, fc.uint8Array({ maxLength: 40 })), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(noise, fc.boolean(), async (pieces, opensFirst) => {
        const client = new TestClient();
        if (opensFirst) await client.stream(1);
        for (const piece of pieces) client.wire.write(piece);
        client.wire.end();
        client.wire.resume();
        await client.ended.catch((error: unknown) => expect(error).toMatchObject({ name: "SpdyError" }));
        expect(client.streams.every(({ destroyed }) => destroyed)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});

/** A client's connection and a server's, on the ends of one transport. */
function connected() {
  const clock = new VirtualClock();
  const [near, far] = duplexPair();
  const accepted: SpdyStream[] = [];
  const server = new SpdyConnection(far, clock, (stream) => accepted.push(stream));
  const client = new SpdyConnection(near, clock);
  const serving = server.run();
  const running = client.run();
  return { clock, near, far, client, server, accepted, serving, running };
}

describe("the client's side of SPDY", () => {
  test("opens streams with odd numbers, and each direction ends separately", async () => {
    const { client, accepted, near } = connected();
    const first = await client.open(new Map([["streamtype", "error"]]));
    const second = await client.open(new Map([["streamtype", "data"]]));
    first.end("question");
    await untilLength(accepted, 2);
    expect(accepted.map(({ id, headers }) => [id, headers.get("streamtype")])).toEqual([
      [1, "error"],
      [3, "data"],
    ]);
    const [error] = accepted;
    expect(error === undefined ? "" : String(await buffer(error))).toBe("question");
    error?.end("answer");
    expect(String(await buffer(first))).toBe("answer");
    second.destroy();
    near.destroy();
  });

  test.each([["reset"], ["close"]])("reads everything that came before the server's %s", async (how) => {
    const { client, accepted, server, near } = connected();
    const stream = await client.open(new Map());
    await untilLength(accepted, 1);
    accepted[0]?.write("x".repeat(200_000));
    if (how === "reset") accepted[0]?.destroy();
    else server.end();
    expect((await buffer(stream)).length).toBe(200_000);
    await expect(new Promise((resolve) => stream.write("dropped", resolve))).resolves.not.toBeInstanceOf(
      Error,
    );
    near.destroy();
  });

  test("a broken connection is no end of a stream", async () => {
    const { client, accepted, near } = connected();
    const stream = await client.open(new Map());
    await untilLength(accepted, 1);
    near.destroy(new Error("reset by peer"));
    await expect(buffer(stream)).rejects.toThrow();
  });

  test("answers the server's pings, and its own have odd numbers", async () => {
    const clock = new VirtualClock();
    const [near, far] = duplexPair();
    const client = new SpdyConnection(near, clock);
    const running = client.run();
    const chunks: Buffer[] = [];
    far.on("data", (chunk: Buffer) => chunks.push(chunk));
    far.write(controlFrame(frameType.ping, 0, Buffer.from([0, 0, 0, 2])));
    await clock.advance(30_000);
    const frames = [...new FrameParser().push(Buffer.concat(chunks))];
    expect(frames.map((frame) => frame.kind === "control" && [...frame.payload])).toEqual([
      [0, 0, 0, 2],
      [0, 0, 0, 3],
    ]);
    far.destroy();
    near.destroy();
    await running;
  });

  test("a server that opens a stream violates the protocol", async () => {
    const { near, far, running } = connected();
    const head = Buffer.alloc(10);
    head.writeUInt32BE(2);
    far.write(controlFrame(frameType.synStream, 0, head));
    await expect(running).rejects.toThrow("the server may not open stream 2");
    expect(near.destroyed).toBe(true);
  });
});

async function untilLength(list: readonly unknown[], length: number): Promise<void> {
  while (list.length < length) await new Promise(setImmediate);
}
