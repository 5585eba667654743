import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../util/clock.ts";
import { VirtualClock } from "../../util/virtual-clock.ts";
import { RpcConnection } from "./connection.ts";
import { RpcError } from "./errors.ts";
import { ImageService, RuntimeService } from "./generated/cri_pb.ts";
import { served, servedStream, type Served, serveSocket } from "./server.ts";

const { version, getContainerEvents, status } = RuntimeService.method;
const { listImages } = ImageService.method;

let directory: string;
const cleanup: (() => void)[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "knarr-rpc-"));
});
afterEach(async () => {
  for (const end of cleanup.splice(0)) end();
  await rm(directory, { recursive: true });
});

async function serve(...methods: readonly Served[]): Promise<string> {
  const socket = join(directory, "server.sock");
  cleanup.push(await serveSocket({ socket, methods }));
  return socket;
}

function connect(socket: string, more: { maxMessageBytes?: number; clock?: VirtualClock } = {}) {
  const connection = new RpcConnection({ clock: systemClock, socket, ...more });
  cleanup.push(() => connection.close());
  return connection;
}

const soon = { deadlineMs: 10_000 };

describe("a connection to a Unix socket", () => {
  test("a call carries the request and the answer, and services share the socket", async () => {
    const socket = await serve(
      served(version, (request) => ({ runtimeName: "test", version: request.version })),
      served(listImages, () => ({ images: [{ id: "sha256:1", size: 2n ** 60n }] })),
    );
    const connection = connect(socket);
    expect(await connection.call(version, { version: "v1" }, soon)).toMatchObject({
      runtimeName: "test",
      version: "v1",
    });
    expect((await connection.call(listImages, {}, soon)).images).toMatchObject([{ size: 2n ** 60n }]);
  });

  test("errors have gRPC's code by name, and Go's message", async () => {
    const socket = await serve(
      served(version, () => {
        throw new RpcError("NotFound", 'an error occurred when try to find "a": 100 %');
      }),
    );
    const connection = connect(socket);
    await expect(connection.call(version, {}, soon)).rejects.toMatchObject({
      code: "NotFound",
      message: 'rpc error: code = NotFound desc = an error occurred when try to find "a": 100 %',
    });
    await expect(connection.call(status, {}, soon)).rejects.toMatchObject({ code: "Unimplemented" });
  });

  test("without a server, a call fails at once, and succeeds when the server is there", async () => {
    const socket = join(directory, "server.sock");
    const connection = connect(socket);
    await expect(connection.call(version, {}, soon)).rejects.toMatchObject({ code: "Unavailable" });
    await serve(served(version, () => ({ runtimeName: "late" })));
    let name = "";
    while (name === "")
      name = await connection.call(version, {}, soon).then(
        (answer) => answer.runtimeName,
        () => "",
      );
    expect(name).toBe("late");
  });

  test("a deadline and a signal end a call that the server does not answer", async () => {
    const clock = new VirtualClock();
    const waiting = Promise.withResolvers<void>();
    const socket = await serve(
      served(version, () => {
        waiting.resolve();
        return new Promise(() => {});
      }),
    );
    const connection = connect(socket, { clock });
    const late = expect(connection.call(version, {}, { deadlineMs: 5000 })).rejects.toMatchObject({
      code: "DeadlineExceeded",
      details: "context deadline exceeded",
    });
    await waiting.promise;
    await clock.advance(5000);
    await late;
    const stop = new AbortController();
    const canceled = connection.call(version, {}, { ...soon, signal: stop.signal });
    stop.abort();
    await expect(canceled).rejects.toMatchObject({ code: "Canceled" });
    await expect(connection.call(version, {}, { ...soon, signal: stop.signal })).rejects.toMatchObject({
      code: "Canceled",
    });
  });

  test("a message beyond the bound is refused", async () => {
    const socket = await serve(served(version, () => ({ runtimeName: "x".repeat(2000) })));
    await expect(connect(socket, { maxMessageBytes: 1000 }).call(version, {}, soon)).rejects.toMatchObject({
      code: "ResourceExhausted",
    });
  });

  test("a stream yields until the server ends it, fails, or the signal fires", async () => {
    const left = Promise.withResolvers<void>();
    const event = (containerId: string) => ({ containerId });
    let round = 0;
    const socket = await serve(
      servedStream(getContainerEvents, async function* (_, signal) {
        yield event("a");
        yield event("b");
        if (++round === 2) throw new RpcError("Internal", "broken");
        if (round === 3) {
          await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
          left.resolve();
        }
      }),
    );
    const connection = connect(socket);
    const stop = new AbortController();
    const read = async (seen: string[], onSeen: () => void = () => {}) => {
      for await (const { containerId } of connection.stream(getContainerEvents, {}, stop)) {
        seen.push(containerId);
        onSeen();
      }
      return seen;
    };
    expect(await read([])).toEqual(["a", "b"]);
    const seen: string[] = [];
    await expect(read(seen)).rejects.toMatchObject({ code: "Internal", details: "broken" });
    const third: string[] = [];
    await read(third, () => third.length === 2 && stop.abort());
    expect(third).toEqual(["a", "b"]);
    await left.promise;
  });

  test("a relative path is refused", () => {
    expect(() => new RpcConnection({ clock: systemClock, socket: "run/x.sock" })).toThrow(
      "the socket's path is not absolute",
    );
  });
});
