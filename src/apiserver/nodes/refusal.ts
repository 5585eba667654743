import type { IncomingMessage } from "node:http";
import { errors, failure, type StatusError, type StatusReason } from "../../meta/status.ts";

/** The greatest number of bytes that are read of an answer with an error (apiserver `generic/rest`). */
const maxErrorBytes = 50_000;

/** Reads the first bytes of an answer's body, and discards the rest. Rejects when the connection breaks. */
export async function readBytes(response: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    const body: AsyncIterable<Buffer> = response;
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= limit) break;
    }
  } finally {
    response.destroy();
  }
  return Buffer.concat(chunks).subarray(0, limit);
}

/** Reads the text of an answer with an error; as much as arrived when the connection breaks. */
export async function readError(response: IncomingMessage): Promise<string> {
  try {
    return (await readBytes(response, maxErrorBytes)).toString();
  } catch {
    return "";
  }
}

/** Reasons and messages of codes (apimachinery `NewGenericServerResponse`). */
const known: ReadonlyMap<number, readonly [StatusReason, string]> = new Map([
  [401, ["Unauthorized", "the server has asked for the client to provide credentials"]],
  [404, ["NotFound", "the server could not find the requested resource"]],
  [405, ["MethodNotAllowed", "the server does not allow this method on the requested resource"]],
  [429, ["TooManyRequests", "the server has received too many requests and has asked us to try again later"]],
  [503, ["ServiceUnavailable", "the server is currently unable to handle the request"]],
  [
    504,
    [
      "Timeout",
      "the server was unable to return a response in the time allotted, but may still be processing the request",
    ],
  ],
]);

/** Returns the error of a log that a kubelet refused (apiserver `GenericHttpResponseChecker`). */
export function logRefusal(code: number, text: string, pod: string): StatusError {
  if (code === 500) return errors.internal(text);
  if (code === 400) return errors.badRequest(text);
  const [reason, message] = known.get(code) ?? otherwise(code, text);
  const details = { name: pod, kind: "pods/log" };
  return failure(Math.max(code, 400), reason, `${message} ( pods/log ${pod})`, details);
}

function otherwise(code: number, text: string): readonly [StatusReason, string] {
  if (code === 403) return ["Forbidden", text];
  if (code > 500)
    return [
      "InternalError",
      `an error on the server (${JSON.stringify(text)}) has prevented the request from succeeding`,
    ];
  return ["", `the server responded with the status code ${code} but did not return more information`];
}
