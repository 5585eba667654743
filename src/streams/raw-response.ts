import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ApiResponse, EncodedEvent, ResponseBody } from "../meta/exchange.ts";
import { http } from "../util/node-http.ts";

/** Answers an upgrade request with plain HTTP/1.1, and closes the connection. */
export async function writeRaw(
  socket: Duplex,
  { status, headers, warnings = [], cookies = [], body }: ApiResponse,
): Promise<void> {
  // The client's remaining data is dropped; without reading, its end would never be noticed.
  socket.resume();
  const { contentType, content } = encode(body);
  const all = { ...headers, "content-type": contentType, connection: "close" };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  lines.push(...warnings.map((value) => `warning: ${value}`), ...cookies.map((one) => `set-cookie: ${one}`));
  // Without a length the content ends with the connection.
  if (content instanceof Uint8Array) lines.push(`content-length: ${content.length}`);
  const head = `HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? ""}\r\n${lines.join("\r\n")}\r\n\r\n`;
  if (content instanceof Uint8Array) {
    socket.end(Buffer.concat([Buffer.from(head), content]));
  } else {
    socket.write(head);
    // A client that disconnects early is no error.
    await pipeline(content, socket).catch(() => {});
  }
}

interface Content {
  readonly contentType: string;
  readonly content: Uint8Array | AsyncIterable<Uint8Array>;
}

function encode(body: ResponseBody): Content {
  const json = (value: object) => Buffer.from(JSON.stringify(value));
  switch (body.type) {
    case "empty":
      return { contentType: "text/plain", content: Buffer.alloc(0) };
    case "bytes":
      return { contentType: body.contentType, content: body.bytes };
    case "object":
      return { contentType: "application/json", content: body.encoded ?? json(body.value) };
    case "list":
      return { contentType: "application/json", content: json(body.value()) };
    case "stream":
      return { contentType: body.contentType, content: body.stream };
    case "events":
      return { contentType: body.contentType, content: linesOf(body.batches) };
  }
}

async function* linesOf(batches: AsyncIterable<readonly EncodedEvent[]>): AsyncGenerator<Uint8Array> {
  for await (const batch of batches) for (const event of batch) yield event.encoded();
}
