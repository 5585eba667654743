import { withDeadline } from "../../util/deadline.ts";
import type { HttpsAnswer, SendHttps } from "./https.ts";
import { networkError } from "../../util/network-error.ts";
import { type Reads, serviceAddress } from "./service-address.ts";
import { fieldsOf } from "../../util/is-object.ts";

/** The address of a webhook: `WebhookClientConfig` of several groups. */
export interface WebhookTarget {
  readonly url?: string;
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly path?: string;
    readonly port?: number;
  };
  /** PEM in base64. */
  readonly caBundle?: string;
}

/** A webhook could not be called, or answered incorrectly. The message is upstream's. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
}

/** The greatest time to wait for an answer, in milliseconds (apiserver `util/webhook/authentication.go`). */
const longestWaitMs = 30_000;

/** Calls webhooks over HTTPS (apiserver `util/webhook/client.go`). */
export class WebhookClient {
  readonly #reads: Reads;
  readonly #send: SendHttps;

  constructor(reads: Reads, send: SendHttps) {
    this.#reads = reads;
    this.#send = send;
  }

  /** Posts JSON, and resolves to the JSON of the answer. @throws WebhookError */
  async post(target: WebhookTarget, body: string, waitMs = longestWaitMs): Promise<string> {
    const url = `${baseUrl(target)}?timeout=${waitMs / 1000}s`;
    const answer = await this.#ask(target, url, body, waitMs).catch((error: unknown) => {
      throw new WebhookError(`Post "${url}": ${networkError(error)}`, { cause: error });
    });
    const { status, contentType } = answer;
    if (status < 200 || status > 299) throw new WebhookError(refusal(answer));
    if (answer.body === "") {
      const kind = `status code: ${status} and content type: ${contentType}`;
      throw new WebhookError(`0-length response with ${kind}`);
    }
    return answer.body;
  }

  async #ask(
    { service, caBundle = "" }: WebhookTarget,
    url: string,
    body: string,
    waitMs: number,
  ): Promise<HttpsAnswer> {
    const authorities = Buffer.from(caBundle, "base64").toString().trim();
    const port = service?.port ?? 443;
    const answer = await withDeadline(this.#reads.env.clock, waitMs, undefined, async (signal) =>
      this.#send({
        url,
        ...(service === undefined
          ? {}
          : { address: serviceAddress(this.#reads, service.namespace, service.name, port) }),
        ...(authorities === "" ? {} : { authorities }),
        headers: {
          accept: "application/json, */*",
          "content-type": "application/json",
          "user-agent": "kube-apiserver-admission",
        },
        body,
        signal,
      }),
    );
    if (answer === undefined) throw new Error("context deadline exceeded");
    return answer;
  }
}

function baseUrl({ url, service }: WebhookTarget): string {
  if (service === undefined) return (url ?? "").replace(/^(https:\/\/[^/]+)$/, "$1/");
  const { namespace, name, port = 443, path = "/" } = service;
  return `https://${name}.${namespace}.svc:${port}${path}`;
}

/** Returns the error message of a client of the API for such an answer (client-go `rest/request.go`). */
function refusal({ status, contentType, body }: HttpsAnswer): string {
  try {
    const { kind, message } = fieldsOf(JSON.parse(body));
    if (kind === "Status" && typeof message === "string") return message;
  } catch {
    // It is no Status: the message follows from the code and the text.
  }
  const said = contentType.startsWith("text/") ? body.trim() : "unknown";
  const phrase = phrases[status];
  if (phrase !== undefined) return phrase;
  if (status >= 500) {
    return `an error on the server (${JSON.stringify(said)}) has prevented the request from succeeding`;
  }
  if (status === 403 || status === 415) return said;
  return `the server responded with the status code ${status} but did not return more information`;
}

const phrases: Readonly<Record<number, string>> = {
  400: "the server rejected our request for an unknown reason",
  401: "the server has asked for the client to provide credentials",
  404: "the server could not find the requested resource",
  405: "the server does not allow this method on the requested resource",
  422: "the server rejected our request due to an error in our request",
  429: "the server has received too many requests and has asked us to try again later",
  503: "the server is currently unable to handle the request",
  504: "the server was unable to return a response in the time allotted, but may still be processing the request",
};
