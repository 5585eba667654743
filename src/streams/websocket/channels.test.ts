import fc from "fast-check";
import { EventEmitter, once } from "node:events";
import { buffer } from "node:stream/consumers";
import { expect, test } from "vitest";
import type { WebSocket } from "ws";
import { type ChannelFormat, ChannelSocket } from "./channels.ts";

/** Stands in for the connection: what is sent, and whether more may come. */
class FakeSocket extends EventEmitter {
  readonly sent: (Buffer | string)[] = [];
  readonly calls: string[] = [];
  failure: Error | undefined;

  send(message: Buffer | string, done: (error?: Error) => void): void {
    if (this.failure === undefined) this.sent.push(message);
    done(this.failure);
  }

  pause(): void {
    this.calls.push("pause");
  }

  resume(): void {
    this.calls.push("resume");
  }

  close(code: number): void {
    this.calls.push(`close ${code}`);
    this.emit("close");
  }
}

const binary: ChannelFormat = { base64: false, closeSignal: false };
const text: ChannelFormat = { base64: true, closeSignal: false };
const version5: ChannelFormat = { base64: false, closeSignal: true };

function open(format: ChannelFormat): { readonly socket: FakeSocket; readonly channels: ChannelSocket } {
  const socket = new FakeSocket();
  // Safe: the channels use no other part of a WebSocket.
  return { socket, channels: new ChannelSocket(socket as unknown as WebSocket, format) };
}

const message = (channel: number, payload: string | Uint8Array, { base64 }: ChannelFormat = binary) =>
  base64
    ? Buffer.from(`${channel}${Buffer.from(payload).toString("base64")}`)
    : Buffer.concat([Buffer.of(channel), Buffer.from(payload)]);

test.each([
  ["binary", binary],
  ["base64", text],
])("%s frames carry any bytes both ways, each channel its own", async (_, format) => {
  const frames = fc.array(fc.tuple(fc.constantFrom(0, 1, 2, 3), fc.uint8Array({ minLength: 1 })));
  const property = fc.asyncProperty(frames, async (all) => {
    const here = open(format);
    const there = open(format);
    const readers = [0, 1, 2, 3].map((channel) => there.channels.readable(channel));
    const received = readers.map(async (reader) => {
      const chunks: Buffer[] = [];
      reader.on("data", (chunk: Buffer) => chunks.push(chunk));
      await once(reader, "close");
      return Buffer.concat(chunks);
    });
    for (const [channel, payload] of all) await here.channels.send(channel, payload);
    for (const frame of here.socket.sent) there.socket.emit("message", Buffer.from(frame));
    await new Promise(setImmediate);
    there.socket.emit("close");
    for (const [channel, content] of (await Promise.all(received)).entries()) {
      const sent = all.filter(([one]) => one === channel).map(([, payload]) => Buffer.from(payload));
      expect(content.equals(Buffer.concat(sent))).toBe(true);
    }
  });
  await fc.assert(property, { numRuns: 50 });
});

test("messages on channels that nobody reads, and empty ones, are dropped", async () => {
  const { socket, channels } = open(binary);
  const reader = channels.readable(0);
  for (const data of [
    Buffer.of(),
    message(7, "lost"),
    message(0, ""),
    message(255, "\0"),
    message(0, "kept"),
  ])
    socket.emit("message", data);
  expect(reader.read()).toEqual(Buffer.from("kept"));
  expect(reader.read()).toBeNull();
});

test("in version 5 a message on channel 255 ends the channel that it names, and no other", async () => {
  const { socket, channels } = open(version5);
  const [stdin, other] = [channels.readable(0), channels.readable(1)];
  socket.emit("message", message(0, "last words"));
  socket.emit("message", message(255, Buffer.of(0)));
  expect(String(await buffer(stdin))).toBe("last words");
  for (const payload of [Buffer.of(), Buffer.of(9), Buffer.of(0)])
    socket.emit("message", message(255, payload));
  socket.emit("message", message(0, "too late"));
  socket.emit("message", message(1, "still open"));
  expect(other.read()).toEqual(Buffer.from("still open"));
});

test("a reader that is full stops the connection until it has room again, and so does its end", () => {
  const { socket, channels } = open(binary);
  const [one, two] = [channels.readable(0), channels.readable(1)];
  const much = Buffer.alloc(1 << 20);
  socket.emit("message", message(0, much));
  socket.emit("message", message(1, much));
  expect(socket.calls).toEqual(["pause", "pause"]);
  while (one.read() !== null);
  expect(socket.calls).toEqual(["pause", "pause"]);
  two.destroy();
  expect(socket.calls).toEqual(["pause", "pause", "resume"]);
});

test("when the connection is gone its streams are, too, and writes fail", async () => {
  const { socket, channels } = open(binary);
  const reader = channels.readable(0);
  const writer = channels.writable(1);
  expect(channels.gone.aborted).toBe(false);
  socket.failure = new Error("not open");
  const failed = new Promise((resolve) => writer.write("x", resolve));
  expect(await failed).toMatchObject({ message: "not open" });
  socket.emit("close");
  expect([channels.gone.aborted, reader.destroyed, writer.destroyed]).toEqual([true, true, true]);
  // Whoever sends still gets an answer.
  await channels.send(3, Buffer.from("status"));
});

test("a connection is closed in order, also while it waits for room", () => {
  const { socket, channels } = open(binary);
  channels.readable(0);
  socket.emit("message", message(0, Buffer.alloc(1 << 20)));
  channels.close();
  expect(socket.calls.slice(0, 3)).toEqual(["pause", "resume", "close 1000"]);
});
