import { pipeline } from "node:stream/promises";
import type { ApiRequest, ApiResponse, EncodedEvent } from "../../meta/exchange.ts";
import { toJson } from "../../meta/json.ts";
import type { AnyResponse } from "./listener.ts";

/** TLS records and system calls are cheap for large writes: small pieces are gathered up to this size. */
const writeSize = 128 * 1024;

export async function writeResponse(
  response: AnyResponse,
  request: ApiRequest,
  { status, headers, body }: ApiResponse,
  signal: AbortSignal,
): Promise<void> {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.statusCode = status;
  if (body.type !== "empty" && !response.hasHeader("content-type")) {
    response.setHeader("content-type", "contentType" in body ? body.contentType : "application/json");
  }
  switch (body.type) {
    case "empty":
      response.end();
      return;
    case "object": {
      const bytes = isPretty(request)
        ? Buffer.from(`${toJson(body.value, 2)}\n`)
        : (body.encoded ?? Buffer.from(toJson(body.value)));
      end(response, bytes);
      return;
    }
    case "bytes":
      end(response, body.bytes);
      return;
    case "list":
      if (isPretty(request)) end(response, Buffer.from(`${toJson(body.value(), 2)}\n`));
      else await writeChunks(response, body.chunks());
      return;
    case "events":
      await writeEvents(response, body.batches, signal);
      return;
    case "stream":
      flush(response);
      await pipeline(body.stream, response);
      return;
  }
}

function end(response: AnyResponse, bytes: Uint8Array): void {
  response.setHeader("content-length", bytes.length);
  // Both response classes take bytes, but share no signature that says so.
  (response as NodeJS.WritableStream).end(bytes);
}

/** People get indented JSON (apiserver `isPrettyPrint`). */
function isPretty({ headers, query }: ApiRequest): boolean {
  const asked = query.get("pretty");
  if (asked !== null) return asked !== "0" && asked !== "false";
  return /^(curl|Wget|Mozilla\/5\.0)/.test(headers["user-agent"] ?? "");
}

async function writeChunks(response: AnyResponse, chunks: Iterable<Uint8Array>): Promise<void> {
  let buffer = Buffer.allocUnsafe(writeSize);
  let used = 0;
  for (const chunk of chunks) {
    if (used + chunk.length > writeSize && used > 0) {
      await write(response, buffer.subarray(0, used));
      buffer = Buffer.allocUnsafe(writeSize);
      used = 0;
    }
    if (chunk.length >= writeSize) {
      await write(response, chunk);
    } else {
      buffer.set(chunk, used);
      used += chunk.length;
    }
  }
  (response as NodeJS.WritableStream).end(buffer.subarray(0, used));
}

/** All that happened in one tick goes out in one write. */
async function writeEvents(
  response: AnyResponse,
  batches: AsyncIterable<readonly EncodedEvent[]>,
  signal: AbortSignal,
): Promise<void> {
  flush(response);
  for await (const batch of batches) {
    if (signal.aborted) return;
    const [only] = batch;
    const bytes =
      batch.length === 1 && only !== undefined
        ? only.encoded()
        : Buffer.concat(batch.map((one) => one.encoded()));
    await write(response, bytes);
  }
  response.end();
}

/** Clients wait for the headers of a watch before anything has happened. */
function flush(response: AnyResponse): void {
  if ("flushHeaders" in response) response.flushHeaders();
}

async function write(response: AnyResponse, bytes: Uint8Array): Promise<void> {
  if (response.destroyed || (response as NodeJS.WritableStream).write(bytes)) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.on("drain", done);
    response.on("close", done);
  });
}
