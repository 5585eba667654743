import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { ApiResponse, ResponseBody } from "../../meta/exchange.ts";

/** Answers a connection that asked for an upgrade with plain HTTP/1.1, and closes it. */
export function writeRaw(socket: Duplex, { status, headers, body }: ApiResponse): void {
  const { contentType, bytes } = encode(body);
  const all = {
    ...headers,
    "content-type": contentType,
    "content-length": String(bytes.length),
    connection: "close",
  };
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    ...Object.entries(all).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), bytes]));
  // The client's rest is not read; without this its end would never be seen.
  socket.resume();
}

function encode(body: ResponseBody): { contentType: string; bytes: Uint8Array } {
  const json = (value: object) => Buffer.from(JSON.stringify(value));
  switch (body.type) {
    case "empty":
      return { contentType: "text/plain", bytes: Buffer.alloc(0) };
    case "bytes":
      return { contentType: body.contentType, bytes: body.bytes };
    case "object":
      return { contentType: "application/json", bytes: body.encoded ?? json(body.value) };
    case "list":
      return { contentType: "application/json", bytes: json(body.value()) };
    case "events":
    case "stream":
      throw new TypeError("a stream cannot be answered to an upgrade that was not understood");
  }
}
