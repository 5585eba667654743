import { readFileSync } from "node:fs";
import { Agent, request as requestHttps } from "node:https";
import { http } from "../../util/node-http.ts";
import type { Extender as ExtenderConfiguration } from "../configuration/schema.ts";
import type { Post } from "./extender.ts";

/** The greatest size of an answer, in bytes. */
const maxAnswerBytes = 64 * 1024 * 1024;

/** Posts to an extender, with the TLS of its configuration. @throws Error when a file cannot be read */
export function httpPost({ enableHTTPS = false, tlsConfig = {} }: ExtenderConfiguration): Post {
  const ca = fileOr(tlsConfig.caFile, tlsConfig.caData);
  const agent = new Agent({
    keepAlive: true,
    ...(ca === undefined ? {} : { ca }),
    ...optional("cert", fileOr(tlsConfig.certFile, tlsConfig.certData)),
    ...optional("key", fileOr(tlsConfig.keyFile, tlsConfig.keyData)),
    ...optional("servername", tlsConfig.serverName),
    // As upstream: without an authority, `enableHTTPS` trusts any server.
    rejectUnauthorized: !(tlsConfig.insecure ?? (enableHTTPS && ca === undefined)),
  });
  return async (url, body, timeoutMs) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const options = {
      method: "POST",
      headers: { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) },
      signal: AbortSignal.timeout(timeoutMs),
    };
    const isSecure = url.startsWith("https:");
    const outgoing = isSecure ? requestHttps(url, { ...options, agent }) : http.request(url, options);
    outgoing.on("error", reject);
    outgoing.on("response", (incoming) => {
      const chunks: Buffer[] = [];
      let size = 0;
      incoming.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxAnswerBytes) incoming.destroy(new Error("the answer is too large"));
        else chunks.push(chunk);
      });
      incoming.on("error", reject);
      incoming.on("end", () => {
        if (incoming.statusCode === 200) resolve(Buffer.concat(chunks).toString());
        else reject(new Error(`failed with extender at URL ${url}, code ${incoming.statusCode}`));
      });
    });
    outgoing.end(body);
    return promise;
  };
}

/** PEM from a file, or from base64. */
function fileOr(file = "", data = ""): Buffer | undefined {
  if (data !== "") return Buffer.from(data, "base64");
  return file === "" ? undefined : readFileSync(file);
}

function optional<K extends string, T>(key: K, value: T | undefined): { readonly [P in K]?: T } {
  // Safe: the key is the only one.
  return value === undefined || value === "" ? {} : ({ [key]: value } as { [P in K]?: T });
}
