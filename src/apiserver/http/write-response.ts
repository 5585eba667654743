import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ApiRequest, ApiResponse, EncodedEvent, ResponseBody } from "../../meta/exchange.ts";
import { toJson } from "../../meta/json.ts";
import type { Output } from "./output.ts";
import type { Gone } from "./wire-request.ts";

/** TLS records and system calls are cheap for large writes: small pieces are gathered up to this size. */
const writeSize = 128 * 1024;

/** Sends an answer. Resolves when all of it has been handed over. */
export async function writeResponse(
  output: Output,
  request: ApiRequest,
  { status, headers, body }: ApiResponse,
  gone: Gone,
): Promise<void> {
  const { writable } = output;
  if (writable.destroyed) return;
  const whole = wholeBody(request, body);
  const typed = body.type === "empty" ? headers : { "content-type": contentType(body), ...headers };
  const isHead = request.method === "HEAD";
  if (whole !== undefined || isHead) {
    const length = whole?.length ?? 0;
    output.start(
      status,
      isHead || body.type === "empty" ? typed : { ...typed, "content-length": length },
      true,
    );
    if (length === 0 || isHead) writable.end();
    else writable.end(whole);
    return;
  }
  // Clients wait for the headers of a watch or a log before anything has happened.
  output.start(status, typed, body.type === "list");
  if (body.type === "list") await writeChunks(writable, body.chunks());
  else if (body.type === "events") await writeEvents(writable, body.batches, gone);
  else if (body.type === "stream") await pipeline(body.stream, writable);
}

function contentType(body: ResponseBody): string {
  return "contentType" in body ? body.contentType : "application/json";
}

/** A body that is there as a whole; undefined for one that comes piece by piece. */
function wholeBody(request: ApiRequest, body: ResponseBody): Uint8Array | undefined {
  switch (body.type) {
    case "empty":
      return new Uint8Array();
    case "bytes":
      return body.bytes;
    case "object":
      if (isPretty(request)) return Buffer.from(`${toJson(body.value, 2)}\n`);
      return body.encoded ?? Buffer.from(toJson(body.value));
    case "list":
      return isPretty(request) ? Buffer.from(`${toJson(body.value(), 2)}\n`) : undefined;
    default:
      return undefined;
  }
}

/** People get indented JSON (apiserver `isPrettyPrint`). */
function isPretty({ headers, query }: ApiRequest): boolean {
  const asked = query.get("pretty");
  if (asked !== null) return asked !== "0" && asked !== "false";
  return /^(curl|Wget|Mozilla\/5\.0)/.test(headers["user-agent"] ?? "");
}

async function writeChunks(writable: Writable, chunks: Iterable<Uint8Array>): Promise<void> {
  let buffer = Buffer.allocUnsafe(writeSize);
  let used = 0;
  for (const chunk of chunks) {
    if (used + chunk.length > writeSize && used > 0) {
      await write(writable, buffer.subarray(0, used));
      buffer = Buffer.allocUnsafe(writeSize);
      used = 0;
    }
    if (chunk.length >= writeSize) {
      await write(writable, chunk);
    } else {
      buffer.set(chunk, used);
      used += chunk.length;
    }
  }
  writable.end(buffer.subarray(0, used));
}

/** All that happened in one tick goes out in one write. */
async function writeEvents(
  writable: Writable,
  batches: AsyncIterable<readonly EncodedEvent[]>,
  gone: Gone,
): Promise<void> {
  for await (const batch of batches) {
    if (gone.is) return;
    await write(writable, joined(batch));
  }
  writable.end();
}

interface Joined {
  readonly batch: readonly EncodedEvent[];
  readonly bytes: Uint8Array;
}

/** By the first event of a batch. Most watchers of a resource get the same batch: it is joined once for them. */
const known = new WeakMap<EncodedEvent, Joined>();

function joined(batch: readonly EncodedEvent[]): Uint8Array {
  const [first] = batch;
  if (first === undefined) return new Uint8Array();
  if (batch.length === 1) return first.encoded();
  const last = known.get(first);
  if (last?.batch.length === batch.length && batch.every((event, i) => event === last.batch[i]))
    return last.bytes;
  const bytes = Buffer.concat(batch.map((event) => event.encoded()));
  known.set(first, { batch, bytes });
  return bytes;
}

async function write(writable: Writable, bytes: Uint8Array): Promise<void> {
  if (writable.destroyed || writable.write(bytes)) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      writable.off("drain", done);
      writable.off("close", done);
      resolve();
    };
    writable.on("drain", done);
    writable.on("close", done);
  });
}
