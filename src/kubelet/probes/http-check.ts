import type { IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIPv6 } from "node:net";
import type { HTTPGetAction } from "../../api/core/pod/probe.ts";
import type { Clock } from "../../util/clock.ts";
import { http } from "../../util/node-http.ts";

/** The result of a check; empty when it succeeded. */
export interface ProbeAnswer {
  readonly failure?: string;
  /** The check succeeded, with a doubt that an Event reports. */
  readonly warning?: string;
}

/** The name that a check gives itself. */
export const userAgent = "kube-probe/1.36";

const maxRedirects = 10;
/** Upstream's `maxRespBodyLength`. */
const maxBody = 10 * 1024;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** An answer whose body has not been read. */
interface Answer {
  readonly response: IncomingMessage;
  readonly status: number;
}

/**
 * Sends an HTTP request, and follows redirects on the same host (kubelet `probe/http`). The time counts for all
 * requests together. Never rejects.
 */
export async function httpCheck(
  clock: Clock,
  action: HTTPGetAction,
  address: { readonly host: string; readonly port: number },
  limitMs: number,
): Promise<ProbeAnswer> {
  const first = urlOf(action, address);
  if (first === undefined)
    return { failure: `invalid port or path: ${address.port}, ${JSON.stringify(action.path)}` };
  const late = new AbortController();
  const timer = clock.after(limitMs, () => late.abort());
  let url = first;
  try {
    for (let count = 1; ; count++) {
      const { response, status } = await get(url, headersOf(action), late.signal);
      const next = nextUrl(url, status, response.headers.location);
      if (next?.hostname === first.hostname) {
        response.destroy();
        url = next;
        if (count < maxRedirects) continue;
        return { failure: `Get "${shown(url)}": stopped after ${maxRedirects} redirects` };
      }
      if (status >= 300 && status < 400)
        return { warning: `Probe terminated redirects, Response body: ${await bodyOf(response)}` };
      response.destroy();
      return status >= 200 && status < 300 ? {} : { failure: `HTTP probe failed with statuscode: ${status}` };
    }
  } catch (error) {
    const why = late.signal.aborted
      ? "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
      : error instanceof Error
        ? error.message
        : String(error);
    return { failure: `Get "${shown(url)}": ${why}` };
  } finally {
    timer.cancel();
  }
}

function urlOf(
  { scheme = "HTTP", path = "/", host = "" }: HTTPGetAction,
  address: { readonly host: string; readonly port: number },
): URL | undefined {
  const name = host || address.host;
  const authority = `${isIPv6(name) ? `[${name}]` : name}:${address.port}`;
  return (
    URL.parse(`${scheme.toLowerCase()}://${authority}${path.startsWith("/") ? path : `/${path}`}`) ??
    undefined
  );
}

/** Returns the URL with its port, which `URL` leaves out when it is the scheme's own. */
function shown({ protocol, hostname, port, pathname, search }: URL): string {
  return `${protocol}//${hostname}:${port || (protocol === "https:" ? 443 : 80)}${pathname}${search}`;
}

function headersOf({ httpHeaders = [] }: HTTPGetAction): Record<string, string> {
  const own = { "user-agent": userAgent, accept: "*/*" };
  return Object.fromEntries([
    ...Object.entries(own),
    ...httpHeaders.map(({ name, value }) => [name.toLowerCase(), value] as const),
  ]);
}

function nextUrl(from: URL, status: number, location: string | undefined): URL | undefined {
  if (!redirects.has(status) || location === undefined) return undefined;
  const next = URL.parse(location, from.href);
  return next?.protocol === "http:" || next?.protocol === "https:" ? next : undefined;
}

function get(url: URL, headers: Record<string, string>, signal: AbortSignal): Promise<Answer> {
  const send = url.protocol === "https:" ? httpsRequest : http.request;
  return new Promise((resolve, reject) => {
    // The certificate is not verified: the probe tests only whether the workload answers.
    const request = send(
      url.href,
      { headers, signal, rejectUnauthorized: false, agent: false },
      (response) => {
        response.on("error", () => {}); // The rest of an answer that is not read may be cut off.
        resolve({ response, status: response.statusCode ?? 0 });
      },
    );
    request.on("error", reject);
    request.end();
  });
}

/** Reads the beginning of a body. */
async function bodyOf(response: IncomingMessage): Promise<string> {
  let body = Buffer.alloc(0);
  for await (const chunk of response) {
    if (Buffer.isBuffer(chunk)) body = Buffer.concat([body, chunk]);
    if (body.length >= maxBody) break;
  }
  return body.toString("utf8", 0, maxBody);
}
