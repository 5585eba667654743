import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { type ClientHttp2Session, connect } from "node:http2";
import { isIPv6 } from "node:net";
import { formatGoDuration } from "../../meta/protobuf/go-duration.ts";
import type { Clock } from "../../util/clock.ts";
import { type ProbeAnswer, userAgent } from "./http-check.ts";

/** The greatest answer that is read; one of the health protocol has two bytes. */
const maxAnswer = 64 * 1024;
/** The states of the health protocol (grpc.health.v1). */
const states = ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"];
const serving = 1;
/** The names of gRPC's codes by number (google.golang.org/grpc `codes`). */
const codes =
  "OK Canceled Unknown InvalidArgument DeadlineExceeded NotFound AlreadyExists PermissionDenied ResourceExhausted FailedPrecondition Aborted OutOfRange Unimplemented Internal Unavailable DataLoss Unauthenticated".split(
    " ",
  );
const unimplemented = 12;
const deadlineExceeded = 4;

interface Target {
  readonly host: string;
  readonly port: number;
  /** Empty for the whole server. */
  readonly service: string;
}

interface RpcAnswer {
  readonly code: number;
  readonly message: string;
  readonly body: Buffer;
}

/** Asks the gRPC health service over plain HTTP/2 (kubelet `probe/grpc`). Never rejects. */
export async function grpcCheck(clock: Clock, target: Target, limitMs: number): Promise<ProbeAnswer> {
  const { host, port, service } = target;
  const address = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
  const limit = formatGoDuration(BigInt(limitMs) * 1_000_000n);
  const session = connect(`http://${address}`);
  const late = new AbortController();
  const timer = clock.after(limitMs, () => {
    late.abort();
    session.destroy();
  });
  const isLate = () => late.signal.aborted;
  try {
    try {
      await connected(session);
    } catch (error) {
      return isLate()
        ? {
            failure: `timeout: failed to connect service ${JSON.stringify(address)} within ${limit}: context deadline exceeded`,
          }
        : { failure: `error: failed to connect service at ${JSON.stringify(address)}: ${textOf(error)}` };
    }
    const { code, message, body } = await call(session, service, limitMs);
    if (code === unimplemented) {
      const missing = "this server does not implement the grpc health protocol (grpc.health.v1.Health)";
      return { failure: `error: ${missing}: ${message}` };
    }
    if (code === deadlineExceeded) return { failure: `timeout: health rpc did not complete within ${limit}` };
    if (code !== 0) {
      const name = codes[code] ?? `Code(${code})`;
      return { failure: `error: health rpc probe failed: rpc error: code = ${name} desc = ${message}` };
    }
    const state = stateOf(body);
    if (state === serving) return {};
    return {
      failure: `service unhealthy (responded with ${JSON.stringify(states[state] ?? String(state))})`,
    };
  } catch (error) {
    return isLate()
      ? { failure: `timeout: health rpc did not complete within ${limit}` }
      : { failure: `error: health rpc probe failed: ${textOf(error)}` };
  } finally {
    timer.cancel();
    session.destroy();
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Resolves when the server has sent its settings, so that it speaks HTTP/2. */
function connected(session: ClientHttp2Session): Promise<void> {
  return new Promise((resolve, reject) => {
    session.once("remoteSettings", () => resolve());
    session.on("error", reject);
    session.once("close", () => reject(new Error("the connection was closed")));
  });
}

function call(session: ClientHttp2Session, service: string, limitMs: number): Promise<RpcAnswer> {
  return new Promise((resolve, reject) => {
    let status: Record<string, unknown> = {};
    const chunks: Buffer[] = [];
    let size = 0;
    const stream = session.request({
      ":method": "POST",
      ":path": "/grpc.health.v1.Health/Check",
      "content-type": "application/grpc",
      "user-agent": userAgent,
      te: "trailers",
      "grpc-timeout": `${limitMs}m`,
    });
    // An answer without a body has its status in the headers.
    stream.on("response", (headers) => {
      status = headers;
    });
    stream.on("trailers", (trailers) => {
      status = { ...status, ...trailers };
    });
    stream.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxAnswer) chunks.push(chunk);
      else stream.destroy(new Error(`the answer is larger than ${maxAnswer} bytes`));
    });
    stream.on("error", reject);
    stream.on("close", () => {
      const { ":status": http, "grpc-status": code, "grpc-message": message = "" } = status;
      if (code === undefined)
        reject(new Error(`rpc error: code = Unknown desc = unexpected HTTP status code: ${String(http)}`));
      else resolve({ code: Number(code), message: unescaped(String(message)), body: Buffer.concat(chunks) });
    });
    stream.end(framed(new BinaryWriter().tag(1, WireType.LengthDelimited).string(service).finish()));
  });
}

/** Returns a message with gRPC's prefix: not compressed, and its length. */
function framed(message: Uint8Array): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

/** Decodes percent signs, which gRPC's messages have; what is no such text stays as it is. */
function unescaped(message: string): string {
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}

/** Returns the first field of a `HealthCheckResponse`; absent is 0. @throws Error for other bytes */
function stateOf(body: Buffer): number {
  if (body.length < 5 || body[0] !== 0 || body.readUInt32BE(1) !== body.length - 5)
    throw new Error("rpc error: code = Internal desc = the answer is no message");
  const reader = new BinaryReader(body.subarray(5));
  let state = 0;
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === 1 && type === WireType.Varint) state = reader.int32();
    else reader.skip(type, field);
  }
  return state;
}
