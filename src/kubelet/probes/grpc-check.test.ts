import { once } from "node:events";
import { createServer, type Http2Server, type ServerHttp2Stream } from "node:http2";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { VirtualClock } from "../../util/virtual-clock.ts";
import { grpcCheck } from "./grpc-check.ts";

const clock = new VirtualClock();
const check = (port: number, service = "") => grpcCheck(clock, { host: "127.0.0.1", port, service }, 2000);

/** Answers with gRPC's trailers after a body. */
function answerWith(body: Buffer, trailers: Record<string, string>) {
  return (stream: ServerHttp2Stream) => {
    stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers(trailers));
    stream.end(body);
  };
}

const message = (...bytes: readonly number[]) => Buffer.from([0, 0, 0, 0, bytes.length, ...bytes]);
const ok = { "grpc-status": "0" };

describe("a check by the gRPC health service", () => {
  let server: Http2Server;
  let port: number;
  let answer: (stream: ServerHttp2Stream) => void;
  let asked: { path: unknown; type: unknown; agent: unknown; body: string }[];

  beforeEach(async () => {
    asked = [];
    server = createServer();
    server.on("stream", (stream, headers) => {
      const chunks: Buffer[] = [];
      stream.on("error", () => {});
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const { ":path": path, "content-type": type, "user-agent": agent } = headers;
        asked.push({ path, type, agent, body: Buffer.concat(chunks).toString("hex") });
        answer(stream);
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    ({ port } = server.address() as AddressInfo);
  });
  afterEach(async () => {
    await new Promise((resolve) => server.close(resolve));
  });

  test("asks for the service, and succeeds when it serves", async () => {
    answer = answerWith(message(8, 1), ok);
    expect(await check(port, "db")).toEqual({});
    expect(asked).toEqual([
      {
        path: "/grpc.health.v1.Health/Check",
        type: "application/grpc",
        agent: "kube-probe/1.36",
        body: "00000000040a026462",
      },
    ]);
  });

  test.each([
    [message(8, 2), "NOT_SERVING"],
    [message(8, 3), "SERVICE_UNKNOWN"],
    [message(), "UNKNOWN"],
    [message(8, 9), "9"],
  ])("fails with another state: %j", async (body, state) => {
    answer = answerWith(body, ok);
    expect(await check(port)).toEqual({ failure: `service unhealthy (responded with "${state}")` });
  });

  test.each<[Record<string, string>, string]>([
    [
      { "grpc-status": "12", "grpc-message": "unknown service" },
      "error: this server does not implement the grpc health protocol (grpc.health.v1.Health): unknown service",
    ],
    [{ "grpc-status": "4" }, "timeout: health rpc did not complete within 2s"],
    [
      { "grpc-status": "14", "grpc-message": "caf%C3%A9 %" },
      "error: health rpc probe failed: rpc error: code = Unavailable desc = caf%C3%A9 %",
    ],
    [
      { "grpc-status": "7", "grpc-message": "caf%C3%A9" },
      "error: health rpc probe failed: rpc error: code = PermissionDenied desc = café",
    ],
    [{ "grpc-status": "77" }, "error: health rpc probe failed: rpc error: code = Code(77) desc = "],
  ])("fails with the server's error: %j", async (trailers, failure) => {
    answer = (stream) => {
      stream.respond({ ":status": 200, ...trailers }, { endStream: true });
    };
    expect(await check(port)).toEqual({ failure });
  });

  test.each([
    ["no message", Buffer.from("hello")],
    ["a compressed message", Buffer.from([1, 0, 0, 0, 2, 8, 1])],
    ["half a message", Buffer.from([0, 0, 0, 0, 9, 8, 1])],
    ["a broken message", message(8)],
    ["too much", Buffer.alloc(1 << 20)],
  ])("fails with %s", async (_, body) => {
    answer = answerWith(body, ok);
    expect((await check(port)).failure).toMatch(/^error: health rpc probe failed: /);
  });

  test("fails with an answer of another protocol, and with none", async () => {
    answer = (stream) => stream.respond({ ":status": 404 }, { endStream: true });
    expect((await check(port)).failure).toContain("unexpected HTTP status code: 404");
    answer = (stream) => stream.close(8);
    expect((await check(port)).failure).toMatch(/^error: health rpc probe failed: /);
  });

  test("waits no longer than its time", async () => {
    const reached = Promise.withResolvers<void>();
    answer = () => reached.resolve();
    const result = check(port);
    await reached.promise;
    await clock.advance(2000);
    expect(await result).toEqual({ failure: "timeout: health rpc did not complete within 2s" });
  });
});

test("a server that says nothing is not waited for, and one that is not there fails at once", async () => {
  const server = createTcpServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const silent = check(port);
  const [socket] = await once(server, "connection");
  await clock.advance(2000);
  expect(await silent).toEqual({
    failure: `timeout: failed to connect service "127.0.0.1:${port}" within 2s: context deadline exceeded`,
  });
  socket.destroy();
  await new Promise((resolve) => server.close(resolve));
  expect((await check(port)).failure).toMatch(
    /^error: failed to connect service at "127\.0\.0\.1:\d+": .*ECONNREFUSED/,
  );
});
