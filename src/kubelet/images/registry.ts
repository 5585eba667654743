import { isIP } from "node:net";
import { Readable } from "node:stream";
import { errorCode } from "../../util/error-code.ts";
import { sha256 } from "./digest.ts";
import type { RegistryCredentials } from "../runtime.ts";
import { asRecord, text } from "./image.ts";
import type { ImageReference } from "./reference.ts";
import { manifestPlan, type ImagePlan, type ImageSource } from "./source.ts";
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
  const base = `${scheme(reference.registry)}://${host(reference.registry)}/v2/${reference.repository}`;
  let authorization: string | undefined;

  const get = async (path: string): Promise<Response> => {
    const request = () =>
      fetch(`${base}/${path}`, {
        headers: { accept: manifestTypes, ...(authorization !== undefined && { authorization }) },
      }).catch(unreachable);
    let response = await request();
    if (response.status === 401 && authorization === undefined) {
      const challenge = response.headers.get("www-authenticate") ?? "";
      authorization = /^basic\b/i.test(challenge)
        ? basic(credentials)
        : await token(challenge, { fetch, base, credentials });
      response = await request();
    }
    if (!response.ok) throw new Error(`${base}/${path} answered ${response.status}`);
    return response;
  };

  // The plan reads only manifests and the configuration blob.
  const read = async (path: string) => (await get(path)).text();
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
