import type { IncomingMessage } from "node:http";
import type { ApiResponse } from "../../meta/exchange.ts";
import { errors } from "../../meta/status.ts";
import { errorCode } from "../../util/error-code.ts";
import { errorText } from "../../util/error-text.ts";
import { networkError } from "../../util/network-error.ts";
import type { Context } from "../context.ts";
import type { Target } from "../resources/target.ts";
import type { Backend, BackendRequest } from "./backend.ts";
import { addressNotAllowed } from "./global-unicast.ts";
import { backendHeaders, clientHeaders, rewriteLocation } from "./headers.ts";
import { answerAsKubelet } from "./local-kubelet.ts";
import { divide, type ProxyPath } from "./path.ts";
import { isPage, rewritePage } from "./rewrite-page.ts";
import { localNode, nodeBackend, podBackend, serviceBackend } from "./target.ts";

/** The greatest size of a request's body, which is held in memory. */
const maxBody = 16 << 20;

/** Answers `nodes/proxy`, `pods/proxy` and `services/proxy` with the backend's answer, for every method. */
export async function proxy(context: Context, target: Target): Promise<ApiResponse> {
  const path = divide(context.request.path, target.resource.kind.namespaced);
  const local = localNode(context, target);
  if (local !== undefined) {
    const redirect = redirectToRoot(context, path);
    return redirect ?? answerAsKubelet(context, local.node, local.name, path.rest);
  }
  const backend = backendOf(context, target);
  const redirect = redirectToRoot(context, path);
  if (redirect !== undefined) return redirect;
  const { body } = context.request;
  const bytes = body.type === "bytes" ? await body.read(maxBody) : undefined;
  const request = { ...backendRequest(context, path, false), body: bytes };
  const response = await backend.send(request).catch((error: unknown) => {
    throw unreachable(error);
  });
  return toAnswer(context, response, backend, path);
}

/** Returns the destination of a request for a Pod, a Service, or a node in another process. @throws StatusError */
export function backendOf(context: Context, { resource, namespace, name }: Target): Backend {
  switch (resource.kind.plural) {
    case "nodes":
      return nodeBackend(context, name);
    case "pods":
      return podBackend(context, namespace, name);
    default:
      return serviceBackend(context, namespace, name);
  }
}

export function backendRequest(context: Context, path: ProxyPath, isUpgrade: boolean): BackendRequest {
  const { request } = context;
  const rest = path.rest === "" ? "/" : path.rest;
  const query = request.search ?? request.query.toString();
  return {
    method: request.method,
    path: query === "" ? rest : `${rest}?${query}`,
    headers: backendHeaders(request, { path: rest, prefix: path.prefix, isUpgrade }),
    signal: request.signal,
  };
}

/** Returns the error of a backend that cannot be connected to. */
export function unreachable(error: unknown) {
  if (errorText(error) === addressNotAllowed) return errors.badRequest(addressNotAllowed);
  const why = networkError(error);
  // Only the host name of a node is looked up: upstream does so before it connects.
  if (errorCode(error) === "ENOTFOUND") return errors.badRequest(why.replace(/^dial tcp: /, ""));
  return errors.unavailable(`error trying to reach service: ${why}`);
}

/** Redirects a reader of the backend's root to a path with a slash, so that relative links work. */
function redirectToRoot({ request }: Context, { prefix, rest }: ProxyPath): ApiResponse | undefined {
  if (rest !== "" || (request.method !== "GET" && request.method !== "HEAD")) return undefined;
  const query = request.search ?? request.query.toString();
  const location = `${prefix}/${query === "" ? "" : `?${query}`}`;
  return { status: 301, headers: { location }, body: { type: "empty" } };
}

/** Returns a backend's answer for the client. Its body is passed on as it arrives. */
export function toAnswer(
  { request }: Context,
  response: IncomingMessage,
  { host: backend }: Backend,
  { prefix }: ProxyPath,
): ApiResponse {
  const { statusCode = 502, headers } = response;
  // HTTP/2 knows no greater codes.
  const status = statusCode > 599 ? 502 : statusCode;
  const host = request.headers["host"] ?? request.headers[":authority"] ?? "";
  const source = { backend, host, prefix };
  const location = headers.location === undefined ? undefined : rewriteLocation(headers.location, source);
  const cookies = headers["set-cookie"];
  const answer = {
    status,
    headers: clientHeaders(headers, location),
    ...(cookies !== undefined && { cookies }),
  };
  if (request.method === "HEAD" || status === 204 || status === 304) {
    response.resume();
    return { ...answer, body: { type: "empty" } };
  }
  const contentType = headers["content-type"] ?? "application/octet-stream";
  if (!isPage(headers)) return { ...answer, body: { type: "stream", contentType, stream: response } };
  const { "content-length": _length, ...others } = answer.headers;
  const stream = rewritePage(response, headers["content-encoding"], source);
  return { ...answer, headers: others, body: { type: "stream", contentType, stream } };
}
