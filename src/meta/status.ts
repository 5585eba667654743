import { describe, type FieldError } from "./field-error.ts";
import { errorText } from "../util/error-text.ts";

/** The machine-readable reason of a failure (apimachinery `metav1.StatusReason`). */
export type StatusReason =
  | ""
  | "Unauthorized"
  | "Forbidden"
  | "NotFound"
  | "AlreadyExists"
  | "Conflict"
  | "Gone"
  | "Invalid"
  | "ServerTimeout"
  | "Timeout"
  | "TooManyRequests"
  | "BadRequest"
  | "MethodNotAllowed"
  | "NotAcceptable"
  | "RequestEntityTooLarge"
  | "UnsupportedMediaType"
  | "InternalError"
  | "Expired"
  | "ServiceUnavailable"
  | "StoreReadError";

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  /** The resource's plural; for Invalid, the kind. */
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** The API server's response when it does not return an object. */
export interface Status {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: { readonly continue?: string };
  readonly status: "Success" | "Failure";
  readonly message?: string;
  readonly reason?: StatusReason;
  readonly details?: StatusDetails;
  readonly code: number;
}

/**
 * The only error that crosses the API. The server throws it and sends it as a Status; the client throws it
 * again.
 */
export class StatusError extends Error {
  override readonly name = "StatusError";
  readonly status: Status;

  constructor(status: Status, cause?: unknown) {
    super(status.message ?? status.reason ?? `HTTP ${status.code}`, { cause });
    this.status = status;
  }

  get code(): number {
    return this.status.code;
  }

  get reason(): StatusReason {
    return this.status.reason ?? "";
  }
}

/** The resource of an error. */
export interface ResourceName {
  readonly group: string;
  /** The plural in lower case. */
  readonly resource: string;
}

const qualified = ({ group, resource }: ResourceName) => (group === "" ? resource : `${resource}.${group}`);

export function failure(
  code: number,
  reason: StatusReason,
  message: string,
  details?: StatusDetails,
  cause?: unknown,
): StatusError {
  return new StatusError(
    {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message,
      ...(reason === "" ? {} : { reason }),
      ...(details === undefined ? {} : { details }),
      code,
    },
    cause,
  );
}

function about({ group, resource }: ResourceName, name: string, more: StatusDetails = {}): StatusDetails {
  return {
    ...(name === "" ? {} : { name }),
    ...(group === "" ? {} : { group }),
    ...(resource === "" ? {} : { kind: resource }),
    ...more,
  };
}

/** Upstream's constructors of API errors (apimachinery `api/errors`): codes, reasons and wording. */
export const errors = {
  badRequest: (message: string, cause?: unknown) => failure(400, "BadRequest", message, undefined, cause),
  unauthorized: () => failure(401, "Unauthorized", "Unauthorized"),
  /** A path is not a resource: the message contains no name. */
  forbidden: (resource: ResourceName, name: string, why: string) => {
    const what = name === "" ? qualified(resource) : `${qualified(resource)} ${JSON.stringify(name)}`;
    const message = what === "" ? `forbidden: ${why}` : `${what} is forbidden: ${why}`;
    return failure(403, "Forbidden", message, about(resource, name));
  },
  notFound: (resource: ResourceName, name: string) =>
    failure(
      404,
      "NotFound",
      `${qualified(resource)} ${JSON.stringify(name)} not found`,
      about(resource, name),
    ),
  noSuchPath: () => failure(404, "NotFound", "the server could not find the requested resource", {}),
  methodNotAllowed: (resource: ResourceName, action: string) =>
    failure(
      405,
      "MethodNotAllowed",
      `${action} is not supported on resources of kind ${JSON.stringify(qualified(resource))}`,
      about(resource, ""),
    ),
  notAcceptable: (accepted: readonly string[]) =>
    failure(406, "NotAcceptable", `only the following media types are accepted: ${accepted.join(", ")}`),
  alreadyExists: (resource: ResourceName, name: string) =>
    failure(
      409,
      "AlreadyExists",
      `${qualified(resource)} ${JSON.stringify(name)} already exists`,
      about(resource, name),
    ),
  conflict: (resource: ResourceName, name: string, why: string, causes?: readonly StatusCause[]) =>
    failure(
      409,
      "Conflict",
      `Operation cannot be fulfilled on ${qualified(resource)} ${JSON.stringify(name)}: ${why}`,
      about(resource, name, causes === undefined ? {} : { causes }),
    ),
  /** Another write came first. */
  modified: (resource: ResourceName, name: string) =>
    errors.conflict(
      resource,
      name,
      "the object has been modified; please apply your changes to the latest version and try again",
    ),
  /** A conflict of server-side apply. `causes` lists the fields that other managers own. */
  applyConflict: (message: string, causes: readonly StatusCause[]) =>
    failure(409, "Conflict", message, { causes }),
  expired: (message: string, metadata: Status["metadata"] = {}) =>
    new StatusError({
      kind: "Status",
      apiVersion: "v1",
      metadata,
      status: "Failure",
      message,
      reason: "Expired",
      code: 410,
    }),
  tooLarge: (message: string) => failure(413, "RequestEntityTooLarge", message),
  unsupportedMediaType: (accepted: readonly string[]) =>
    failure(
      415,
      "UnsupportedMediaType",
      `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`,
    ),
  invalid: (
    kind: { readonly group: string; readonly kind: string },
    name: string,
    issues: readonly FieldError[],
    /** True when further issues were omitted. */
    isCut = false,
  ) => {
    const lines = [...new Set(issues.map(describe)), ...(isCut ? ["and more"] : [])];
    const text = lines.length === 1 ? (lines[0] ?? "") : `[${lines.join(", ")}]`;
    return failure(
      422,
      "Invalid",
      `${qualified({ group: kind.group, resource: kind.kind })} ${JSON.stringify(name)} is invalid: ${text}`,
      {
        ...about({ group: kind.group, resource: kind.kind }, name),
        causes: issues.map(({ reason, message, field }) => ({ reason, message, field })),
      },
    );
  },
  tooManyRequests: (message: string, retryAfterSeconds?: number) =>
    failure(
      429,
      "TooManyRequests",
      message,
      retryAfterSeconds === undefined ? undefined : { retryAfterSeconds },
    ),
  internal: (cause: unknown) =>
    failure(
      500,
      "InternalError",
      `Internal error occurred: ${errorText(cause)}`,
      { causes: [{ message: errorText(cause) }] },
      cause,
    ),
  unavailable: (message: string) => failure(503, "ServiceUnavailable", message),
  timeout: (message: string, retryAfterSeconds = 0, causes?: readonly StatusCause[]) =>
    failure(504, "Timeout", `Timeout: ${message}`, {
      ...(causes === undefined ? {} : { causes }),
      ...(retryAfterSeconds === 0 ? {} : { retryAfterSeconds }),
    }),
} as const;

/** Reports whether an error is a Status with one of these reasons. */
export function hasReason(error: unknown, ...reasons: readonly StatusReason[]): error is StatusError {
  return error instanceof StatusError && reasons.includes(error.reason);
}
