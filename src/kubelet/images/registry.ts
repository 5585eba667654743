import { isIP } from "node:net";
import { Readable } from "node:stream";
import { errorCode } from "../../util/error-code.ts";
import { sha256 } from "./digest.ts";
import type { RegistryCredentials } from "../runtime.ts";
import { asRecord, text } from "./image.ts";
import type { ImageReference } from "./reference.ts";
import { manifestPlan, maxDocumentBytes, type ImagePlan, type ImageSource } from "./source.ts";
import { errorText } from "../../util/error-text.ts";

export type Fetch = typeof fetch;

const manifestTypes = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
  "application/vnd.docker.distribution.manifest.v2+json",
].join(", ");

/**
 * A repository behind the distribution API (`/v2/`). Loopback registries use plain HTTP, all others HTTPS.
 * Credentials are sent only when the registry requires them, and to the place that it names for tokens. Without
 * credentials, access is anonymous.
 */
export function registrySource(
  reference: ImageReference,
  fetch: Fetch,
  credentials?: RegistryCredentials,
): { source: ImageSource; plan(): Promise<ImagePlan> } {
  const registry = new RegistryClient(reference, fetch, credentials);
  const get = (path: string) => registry.expect(path, { headers: { accept: manifestTypes } });

  // The plan reads only manifests and the configuration blob.
  const read = async (path: string) => boundedText(await get(path));
  const source: ImageSource = {
    read: async (digest) => read(`manifests/${digest}`).catch(() => read(`blobs/${digest}`)),
    open: async (layer) => {
      const { body } = await get(`blobs/${layer.name}`);
      return Readable.fromWeb(body ?? new Blob([]).stream());
    },
  };
  return {
    source,
    async plan() {
      const digest = reference.digest ?? sha256(await read(`manifests/${reference.tag ?? "latest"}`));
      return manifestPlan(source, digest, (digest) => digest, []);
    },
  };
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxDocumentBytes)
      throw new Error(`${response.url} has more than ${maxDocumentBytes} bytes, too many for a manifest`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** A request as `fetch` takes it, but for the credentials. */
export interface RegistryRequest {
  readonly method?: "GET" | "HEAD" | "POST" | "PUT";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | ReadableStream;
}

/** A repository's API, with its authentication. */
export class RegistryClient {
  /** The repository's URL. */
  readonly base: string;
  readonly #fetch: Fetch;
  readonly #credentials: RegistryCredentials | undefined;
  #authorization: string | undefined;

  constructor(reference: ImageReference, fetch: Fetch, credentials: RegistryCredentials | undefined) {
    this.base = `${scheme(reference.registry)}://${host(reference.registry)}/v2/${reference.repository}`;
    this.#fetch = fetch;
    this.#credentials = credentials;
  }

  /**
   * Sends a request, again with credentials when the registry requires them; a body that is a stream is sent once.
   * `path` is below the repository, or a URL that the registry gave: another host gets no credentials.
   */
  async request(path: string, request: RegistryRequest = {}): Promise<Response> {
    const url = new URL(path, `${this.base}/`);
    const isOwn = url.origin === new URL(this.base).origin;
    const send = () => {
      const authorization =
        isOwn && this.#authorization !== undefined ? { authorization: this.#authorization } : {};
      const { method = "GET", body, headers } = request;
      const content = body === undefined ? {} : { body, duplex: "half" as const };
      return this.#fetch(url, { method, headers: { ...headers, ...authorization }, ...content }).catch(
        unreachable,
      );
    };
    const response = await send();
    const isOnce = request.body !== undefined && typeof request.body !== "string";
    if (response.status !== 401 || !isOwn || isOnce) return response;
    // A token may permit less than this request needs.
    const challenge = response.headers.get("www-authenticate") ?? "";
    await response.body?.cancel();
    this.#authorization = /^basic\b/i.test(challenge)
      ? basic(this.#credentials)
      : await token(challenge, { fetch: this.#fetch, base: this.base, credentials: this.#credentials });
    return send();
  }

  /** Sends a request. @throws Error if the answer is no success */
  async expect(path: string, request: RegistryRequest = {}): Promise<Response> {
    const response = await this.request(path, request);
    if (response.ok) return response;
    await response.body?.cancel();
    throw new Error(`${new URL(path, `${this.base}/`).href} answered ${response.status}`);
  }
}

/** @throws Error without credentials */
function basic(credentials: RegistryCredentials | undefined): string {
  if (credentials === undefined) throw new Error("the registry wants credentials");
  const { username, password } = credentials;
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

interface TokenContext {
  readonly fetch: Fetch;
  /** The repository's URL. */
  readonly base: string;
  readonly credentials: RegistryCredentials | undefined;
}

/** Requests a token (distribution `docs/spec/auth/token.md`). */
async function token(challenge: string, { fetch, base, credentials }: TokenContext): Promise<string> {
  const parameters = new Map(
    [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map((match) => [match[1] ?? "", match[2] ?? ""]),
  );
  const realm = parameters.get("realm");
  if (!/^bearer /i.test(challenge) || realm === undefined) throw new Error("the registry wants credentials");
  const url = new URL(realm);
  for (const name of ["service", "scope"]) {
    const value = parameters.get(name);
    if (value !== undefined) url.searchParams.set(name, value);
  }
  // A password is sent in the clear only where the registry itself is, which is on this machine.
  if (credentials !== undefined && url.protocol !== "https:" && url.origin !== new URL(base).origin)
    throw new Error(`the registry's place for tokens, ${url.origin}, is not secure`);
  const headers = credentials === undefined ? {} : { authorization: basic(credentials) };
  const answer = await fetch(url, { headers }).catch(unreachable);
  if (!answer.ok) throw new Error(`${url.origin} refused a token with ${answer.status}`);
  const body = asRecord(await answer.json());
  return `Bearer ${text(body["token"]) || text(body["access_token"])}`;
}

/** The message of `fetch` gives no reason: the reason is in its cause, or in the first of several causes. */
function unreachable(error: unknown): never {
  const { cause } = error instanceof Error ? error : {};
  const [first]: readonly unknown[] = cause instanceof AggregateError ? cause.errors : [cause];
  const reason = first instanceof Error ? first : cause instanceof Error ? cause : error;
  const message = errorText(reason);
  const code = errorCode(reason);
  const text = code === undefined || message.includes(code) ? message : `${code}: ${message}`;
  throw new Error(`cannot reach the registry: ${text}`, { cause: error });
}

function scheme(registry: string): "http" | "https" {
  const name = registry.replace(/:\d+$/, "").replace(/^\[|\]$/g, "");
  const loopback = name === "localhost" || name === "::1" || (isIP(name) === 4 && name.startsWith("127."));
  return loopback ? "http" : "https";
}

function host(registry: string): string {
  return registry === "docker.io" ? "registry-1.docker.io" : registry;
}
