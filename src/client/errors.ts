import { failure, StatusError, type Status, type StatusReason } from "../meta/status.ts";
import { errorText } from "../util/error-text.ts";

/**
 * A failure between a client and the API server. The class says what the caller should do. A refusal by the server
 * arrives as `StatusError` (meta/status.ts).
 */
export abstract class ClientError extends Error {
  override get name(): string {
    return this.constructor.name;
  }
}

/**
 * Try again: no complete answer came. The server may have acted on the request, so a write must be safe to repeat, or
 * the caller must look up its effect first.
 */
export class ConnectionError extends ClientError {
  constructor(what: string, cause: unknown) {
    super(`Cannot ${what}: ${errorText(cause)}`, { cause });
  }
}

/** Correct the caller: the request cannot be right, and was not sent. */
export class RequestError extends ClientError {}

/** Correct the configuration: a kubeconfig cannot be read or is inconsistent. */
export class ConfigError extends ClientError {}

/** The wait before the next try that the server asks for, in milliseconds. */
export function retryAfterMs(error: unknown): number | undefined {
  if (!(error instanceof StatusError)) return undefined;
  const seconds = error.status.details?.retryAfterSeconds;
  return seconds === undefined ? undefined : seconds * 1000;
}

const reasons: Readonly<Record<number, StatusReason>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  406: "NotAcceptable",
  409: "Conflict",
  410: "Gone",
  413: "RequestEntityTooLarge",
  415: "UnsupportedMediaType",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};

/**
 * Returns the error for an answer with a status of 400 or more, even when a proxy wrote it instead of the API server.
 */
export function statusError(code: number, body: unknown, retryAfter?: string): StatusError {
  if (isStatus(body)) return new StatusError(body);
  const seconds = Number(retryAfter);
  const text = typeof body === "string" ? body.trim().slice(0, 1024) : "";
  return failure(
    code,
    reasons[code] ?? "",
    text === "" ? `the server answered with HTTP status ${code}` : text,
    Number.isInteger(seconds) && seconds > 0 ? { retryAfterSeconds: seconds } : undefined,
  );
}

export function isStatus(value: unknown): value is Status {
  return (
    typeof value === "object" &&
    value !== null &&
    "kind" in value &&
    value.kind === "Status" &&
    "code" in value &&
    typeof value.code === "number"
  );
}
