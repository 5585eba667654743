import type { ApiRequest, ApiResponse } from "../meta/exchange.ts";
import { parseGoDuration } from "../meta/protobuf/go-duration.ts";
import { errors, StatusError } from "../meta/status.ts";
import { ExpectationError } from "../store/errors.ts";
import { uuid } from "../util/random.ts";
import { authenticateRequest } from "./authn/authenticate.ts";
import { impersonate } from "./authn/impersonate.ts";
import { accessRequest, requireAccess } from "./authz/access-request.ts";
import { type Context, nobody, type Step } from "./context.ts";
import { answerInMediaType } from "./media-type.ts";
import { Pace } from "./registry/pace.ts";
import { respondStatus } from "./rest/respond.ts";
import { requestInfo } from "./request-info.ts";
import type { Services } from "./services.ts";
import { warningHeaders } from "./warning-header.ts";

/** The steps of a request before it is answered, in their order. */
export const chain: readonly Step[] = [
  addHeaders,
  answerInMediaType,
  answerErrors,
  limitTime,
  authenticate,
  impersonate,
  authorize,
];

/** Runs a request through the chain and its `last` steps. Never rejects: errors are answered as Status. */
export function runChain(
  services: Services,
  request: ApiRequest,
  last: readonly Step[],
): Promise<ApiResponse> {
  const warnings = new Set<string>();
  const info = requestInfo(request.method, request.path, request.query);
  const context: Context = {
    request,
    services,
    admission: services.admission,
    // A request creates its signal at the first use, and most requests never use it.
    get signal() {
      return request.signal;
    },
    pace: new Pace(),
    warn: (text) => warnings.add(text),
    auditId: uuid(services.env.random),
    info,
    verb: info.verb,
    user: nobody,
    warnings,
  };
  const steps = [...chain, ...last];
  const run = (index: number): Promise<ApiResponse> => {
    const step = steps[index];
    if (step === undefined) throw new TypeError("the last step of the chain has not answered");
    return step(context, () => run(index + 1));
  };
  return run(0);
}

async function addHeaders(context: Context, next: () => Promise<ApiResponse>): Promise<ApiResponse> {
  const response = await next();
  const headers = {
    "audit-id": context.auditId,
    "cache-control": "no-cache, private",
    ...response.headers,
  };
  if (context.warnings.size === 0) return { ...response, headers };
  return { ...response, headers, warnings: warningHeaders(context.warnings) };
}

async function answerErrors(context: Context, next: () => Promise<ApiResponse>): Promise<ApiResponse> {
  try {
    return await next();
  } catch (error) {
    const { status } = statusOf(error, context);
    const response = respondStatus(status);
    const retryAfter = status.details?.retryAfterSeconds;
    if (retryAfter === undefined) return response;
    return { ...response, headers: { ...response.headers, "retry-after": String(retryAfter) } };
  }
}

function statusOf(error: unknown, { services, info }: Context): StatusError {
  if (error instanceof StatusError) return error;
  if (error instanceof ExpectationError) {
    return errors.conflict({ group: "", resource: "" }, "", "the object has been modified");
  }
  if (isTooDeep(error)) return errors.tooLarge("Request entity too large: nests too deep");
  services.env.log.error("a request failed", {
    path: info.path,
    verb: info.verb,
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
  return errors.internal(error);
}

/**
 * Recognizes a stack overflow. The depth of request bodies is bounded, but some steps take many frames per
 * level, and a patch may build a deeper object than both the patch and the old object.
 */
function isTooDeep(error: unknown): boolean {
  return error instanceof RangeError && error.message.startsWith("Maximum call stack size exceeded");
}

const requestTimeoutMs = 60_000;

const streamed = new Set(["attach", "exec", "log", "portforward", "proxy"]);

/** Answers every request that is no stream within a minute, or within its shorter `timeout`. */
function limitTime(context: Context, next: () => Promise<ApiResponse>): Promise<ApiResponse> {
  const { verb, resource } = context.info;
  if (verb === "watch" || streamed.has(resource?.subresource ?? "")) return next();
  const asked = askedTimeout(context.request.query.get("timeout") ?? "");
  const ms = asked > 0 ? Math.min(asked, requestTimeoutMs) : requestTimeoutMs;
  return new Promise((resolve, reject) => {
    const timer = context.services.env.clock.after(ms, () =>
      reject(errors.timeout("request did not complete within the allotted timeout")),
    );
    const settle =
      <T>(how: (value: T) => void) =>
      (value: T) => {
        timer.cancel();
        how(value);
      };
    next().then(settle(resolve), settle(reject));
  });
}

/** Returns milliseconds; 0 selects the server's limit. */
function askedTimeout(text: string): number {
  const nanoseconds = text === "" ? 0n : parseGoDuration(text);
  if (nanoseconds !== undefined) return Number(nanoseconds) / 1e6;
  const isBare = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/.test(text);
  const why = `time: ${isBare ? "missing unit in" : "invalid"} duration ${JSON.stringify(text)}`;
  throw errors.badRequest(`invalid timeout specified in the request URL - ${why}`);
}

async function authenticate(context: Context, next: () => Promise<ApiResponse>): Promise<ApiResponse> {
  const { user, warnings = [] } = await authenticateRequest(context.request, context.services);
  for (const text of warnings) context.warn(text);
  context.user = user;
  return next();
}

function authorize(context: Context, next: () => Promise<ApiResponse>): Promise<ApiResponse> {
  requireAccess(context, accessRequest(context));
  return next();
}
