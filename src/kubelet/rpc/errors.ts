import type { ServiceError } from "@grpc/grpc-js";

/** The names of gRPC's codes by number (google.golang.org/grpc `codes`). */
const codes = [
  "OK",
  "Canceled",
  "Unknown",
  "InvalidArgument",
  "DeadlineExceeded",
  "NotFound",
  "AlreadyExists",
  "PermissionDenied",
  "ResourceExhausted",
  "FailedPrecondition",
  "Aborted",
  "OutOfRange",
  "Unimplemented",
  "Internal",
  "Unavailable",
  "DataLoss",
  "Unauthenticated",
] as const;

export type RpcCode = (typeof codes)[number];

/** The longest text of a server that is kept, in UTF-16 units. */
const maxDetails = 16 * 1024;

/** A call that failed. The message is Go's, `rpc error: code = … desc = …`. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: RpcCode;
  /** The server's text, without the code. */
  readonly details: string;

  constructor(code: RpcCode, details: string, cause?: unknown) {
    const text = details.length > maxDetails ? `${details.slice(0, maxDetails)}…` : details;
    super(`rpc error: code = ${code} desc = ${text}`, { cause });
    this.code = code;
    this.details = text;
  }
}

/** Returns the number of a code. */
export function codeNumber(code: RpcCode): number {
  return codes.indexOf(code);
}

export function rpcErrorOf(error: ServiceError): RpcError {
  return new RpcError(codes[error.code] ?? "Unknown", error.details, error);
}

/** Reports whether an error is an RpcError with this code. */
export function hasCode(error: unknown, code: RpcCode): boolean {
  return error instanceof RpcError && error.code === code;
}
