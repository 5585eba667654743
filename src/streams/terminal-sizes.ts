import type { Readable } from "node:stream";
import type { TerminalSize } from "../meta/node-endpoint.ts";
import { fieldsOf } from "../util/is-object.ts";

/** Far more than one size takes. */
const maxPending = 4096;
const sizePattern = /\{[^{}]*\}/g;

/** Reads a sequence of `{"Width":120,"Height":40}`, however it is split into chunks. */
export function followSizes(stream: Readable, resize: (size: TerminalSize) => void): void {
  let pending = "";
  stream.on("error", () => {});
  stream.on("data", (chunk: Buffer) => {
    pending += chunk.toString("latin1");
    let end = 0;
    for (const match of pending.matchAll(sizePattern)) {
      end = match.index + match[0].length;
      const size = parseSize(match[0]);
      if (size !== undefined) resize(size);
    }
    pending = pending.slice(end).slice(-maxPending);
  });
}

function parseSize(text: string): TerminalSize | undefined {
  try {
    const { Width: width, Height: height } = fieldsOf(JSON.parse(text));
    return isSize(width) && isSize(height) ? { width, height } : undefined;
  } catch {
    return undefined;
  }
}

function isSize(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value > 0 && value < 65_536;
}
