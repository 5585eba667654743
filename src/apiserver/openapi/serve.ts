import { createHash } from "node:crypto";
import type { ApiResponse } from "../../meta/exchange.ts";
import { errors } from "../../meta/status.ts";
import type { Context } from "../context.ts";
import type { Services } from "../services.ts";
import { cached } from "../registry/cached.ts";
import type { ResourceTable, ServedResource } from "../registry/served.ts";
import { value } from "../registry/respond.ts";
import { documentOf, type KindIndex, kindIndex } from "./document.ts";
import { placeOf } from "./operations.ts";
import { serveSwagger } from "./swagger.ts";

/** What of a request's context matters here. */
export interface OpenApiContext extends Pick<Context, "request"> {
  readonly services: Pick<Services, "env" | "resources">;
}

/** A document as it is sent. */
interface Encoded {
  readonly resources: readonly ServedResource[];
  readonly bytes: Uint8Array;
  /** SHA-512 of the bytes in upper-case hex. */
  readonly hash: string;
}

/** By path, such as `apis/apps/v1`. A document stands as long as its resources are the same ones. */
const documents = new WeakMap<ResourceTable, Map<string, Encoded>>();

/** What is served, by the path of its document; the group's own resources are told apart by their kinds. */
const served = cached((table) => {
  const listed = [...table.all()].filter(({ custom }) => custom === undefined || custom.established);
  const byPath = Map.groupBy(listed, ({ kind }) => placeOf(kind).slice(1));
  for (const path of documents.get(table)?.keys() ?? []) {
    if (!byPath.has(path)) documents.get(table)?.delete(path);
  }
  let index: KindIndex | undefined;
  return { byPath, index: () => (index ??= kindIndex(listed.map(({ kind }) => kind))) };
});

/** Answers for `/openapi/…`; `parts` are what follows. */
export function serveOpenApi(context: OpenApiContext, [version, ...parts]: readonly string[]): ApiResponse {
  if (version === "v2" && parts.length === 0) return serveSwagger(context);
  if (version !== "v3") throw errors.noSuchPath();
  if (!acceptsJson(context)) throw errors.notAcceptable([jsonType]);
  return parts.length === 0 ? index(context) : document(context, parts.join("/"));
}

const jsonType = "application/json";

function acceptsJson({ request }: OpenApiContext): boolean {
  const accept = request.headers["accept"] ?? "";
  if (accept === "") return true;
  const types = accept.split(",").map((clause) => clause.split(";")[0]?.trim());
  return types.some((type) => type === jsonType || type === "application/*" || type === "*/*");
}

function index(context: OpenApiContext): ApiResponse {
  const paths = Object.fromEntries(
    [...served(context.services.resources).byPath].map(([path, resources]) => {
      const { hash } = encodedOf(context, path, resources);
      return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }];
    }),
  );
  return value({ paths });
}

/** KEP-2896: a URL with the present hash may be kept for ever, one with another leads to the present one. */
function document(context: OpenApiContext, path: string): ApiResponse {
  const resources = served(context.services.resources).byPath.get(path);
  if (resources === undefined) throw errors.noSuchPath();
  const { bytes, hash } = encodedOf(context, path, resources);
  const { request, services } = context;
  const asked = request.query.get("hash");
  if (asked !== null && asked !== hash) {
    const location = `/openapi/v3/${path}?hash=${hash}`;
    return { status: 301, headers: { location }, body: { type: "empty" } };
  }
  const yearMs = 365 * 24 * 3600 * 1000;
  const forever = {
    "cache-control": "public, immutable",
    expires: new Date(services.env.clock.now() + yearMs).toUTCString(),
  };
  const headers = { etag: `"${hash}"`, vary: "Accept", ...(asked === null ? {} : forever) };
  if (request.headers["if-none-match"] === headers.etag) {
    return { status: 304, headers, body: { type: "empty" } };
  }
  return { status: 200, headers, body: { type: "bytes", contentType: jsonType, bytes } };
}

function encodedOf(
  { services }: OpenApiContext,
  path: string,
  resources: readonly ServedResource[],
): Encoded {
  const table = services.resources;
  const known = documents.get(table) ?? new Map<string, Encoded>();
  documents.set(table, known);
  const current = known.get(path);
  if (current !== undefined && isSame(current.resources, resources)) return current;
  const bytes = Buffer.from(JSON.stringify(documentOf(resources, served(table).index())));
  const hash = createHash("sha512").update(bytes).digest("hex").toUpperCase();
  const encoded = { resources, bytes, hash };
  known.set(path, encoded);
  return encoded;
}

function isSame<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((one, index) => one === b[index]);
}
