import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ApiRequest, ApiResponse, EncodedEvent, ResponseBody } from "../../meta/exchange.ts";
import { toJson } from "../../meta/json.ts";
import { compress, gzipHeaders, gzipThreshold, takesGzip, writeCompressed } from "./gzip.ts";
import type { Output, WireHeaders } from "./output.ts";
import { asBytes } from "./header-bytes.ts";
import { PiecePool } from "./piece-pool.ts";
import type { Gone } from "./wire-request.ts";

/** TLS records and system calls are cheap for large writes: small pieces are joined up to this size. */
const writeSize = 128 * 1024;
/** Enough for a few concurrent lists. */
const pool = new PiecePool(writeSize, 32);

/** Sends an answer. Resolves when all of it has been written. */
export async function writeResponse(
  output: Output,
  request: ApiRequest,
  response: ApiResponse,
  gone: Gone,
): Promise<void> {
  const { writable } = output;
  const { status, body } = response;
  if (writable.destroyed) return;
  const headers = wireHeaders(response);
  const typed = body.type === "empty" ? headers : { "content-type": contentType(body), ...headers };
  if (request.method === "HEAD") {
    output.start(status, typed, true);
    writable.end();
    return;
  }
  const whole = wholeBody(request, body);
  if (whole !== undefined) {
    await writeWhole(output, request, status, typed, whole);
  } else if (body.type === "list") {
    await writeList(output, request, status, typed, body.chunks());
  } else {
    // Clients wait for the headers of a watch or a log before the first event.
    output.start(status, typed, false);
    if (body.type === "events") await writeEvents(writable, body.batches, gone);
    else if (body.type === "stream") await pipeline(body.stream, writable);
  }
}

function wireHeaders({ headers, warnings, cookies }: ApiResponse): WireHeaders {
  if (warnings === undefined && cookies === undefined) return headers;
  return {
    ...headers,
    ...(warnings !== undefined && { warning: warnings.map(asBytes) }),
    ...(cookies !== undefined && { "set-cookie": [...cookies] }),
  };
}

async function writeWhole(
  output: Output,
  request: ApiRequest,
  status: number,
  headers: WireHeaders,
  body: Uint8Array,
): Promise<void> {
  const { writable } = output;
  const isCompressed = body.length > gzipThreshold && takesGzip(request);
  const bytes = isCompressed ? await compress(body) : body;
  if (writable.destroyed) return;
  const { length } = bytes;
  const sized = length === 0 ? headers : { ...headers, "content-length": String(length) };
  output.start(status, isCompressed ? gzipHeaders(sized) : sized, true);
  if (length === 0) writable.end();
  else writable.end(bytes);
}

async function writeList(
  output: Output,
  request: ApiRequest,
  status: number,
  headers: WireHeaders,
  chunks: Iterable<Uint8Array>,
): Promise<void> {
  const { writable } = output;
  const all = pieces(chunks);
  if (takesGzip(request)) {
    const head = [all.next().value, all.next().value].filter((piece) => piece !== undefined);
    const isCompressed = head.reduce((sum, { length }) => sum + length, 0) > gzipThreshold;
    const rest = concat(head, all);
    output.start(status, isCompressed ? gzipHeaders(headers) : headers, true);
    await (isCompressed ? writeCompressed(rest, writable) : writePieces(writable, rest));
    return;
  }
  output.start(status, headers, true);
  await writePieces(writable, all);
}

function contentType(body: ResponseBody): string {
  return "contentType" in body ? body.contentType : "application/json";
}

/** Returns a complete body; undefined for one that arrives in pieces. */
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
      return body.contentType === undefined && isPretty(request)
        ? Buffer.from(`${toJson(body.value(), 2)}\n`)
        : undefined;
    default:
      return undefined;
  }
}

/** Indents JSON for browsers and curl (apiserver `isPrettyPrint`). */
function isPretty({ headers, query }: ApiRequest): boolean {
  const asked = query.get("pretty");
  if (asked !== null) return asked !== "0" && asked !== "false";
  return /^(curl|Wget|Mozilla\/5\.0)/.test(headers["user-agent"] ?? "");
}

/** Writes pieces, and returns them to the pool once they are written. */
async function writePieces(writable: Writable, all: Iterable<Uint8Array>): Promise<void> {
  for (const piece of all) {
    await write(writable, piece, (error) => {
      if (!error) pool.give(piece);
    });
  }
  writable.end();
}

/** Joins chunks into pieces of an efficient size. */
function* pieces(chunks: Iterable<Uint8Array>): Generator<Uint8Array, undefined> {
  let buffer = pool.take();
  let used = 0;
  for (const chunk of chunks) {
    if (used + chunk.length > writeSize && used > 0) {
      yield buffer.subarray(0, used);
      buffer = pool.take();
      used = 0;
    }
    if (chunk.length >= writeSize) {
      yield chunk;
    } else {
      buffer.set(chunk, used);
      used += chunk.length;
    }
  }
  if (used > 0) yield buffer.subarray(0, used);
}

function* concat<T>(head: Iterable<T>, tail: Iterable<T>): Generator<T> {
  yield* head;
  yield* tail;
}

/** Writes all events of one tick in one write. */
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

/** By the first event of a batch. Most watchers of a resource get the same batch, so it is joined once. */
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

async function write(
  writable: Writable,
  bytes: Uint8Array,
  written?: (error?: Error | null) => void,
): Promise<void> {
  if (writable.destroyed || writable.write(bytes, written)) return;
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
