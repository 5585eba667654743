import type { ApiResponse } from "../../meta/exchange.ts";
import { errors } from "../../meta/status.ts";
import { yieldToSockets } from "../../util/yield.ts";
import type { Context } from "../context.ts";
import { cached } from "../cached.ts";
import { value } from "../rest/respond.ts";
import type { ResourceTable, ServedResource } from "../resources/served.ts";
import type { Services } from "../services.ts";
import { type Plan, plans } from "./documents.ts";
import { documentV2 } from "./gnostic/v2.ts";
import { documentV3 } from "./gnostic/v3.ts";
import { Representation } from "./representation.ts";
import { swaggerOf } from "./swagger-document.ts";

/** The parts of a request's context that are used here. */
export interface OpenApiContext extends Pick<Context, "request"> {
  readonly services: Pick<Services, "env" | "resources">;
}

/** Answers `/openapi/…`; `parts` are the rest of the path. */
export async function serveOpenApi(
  context: OpenApiContext,
  [version, ...parts]: readonly string[],
): Promise<ApiResponse> {
  const { request, services } = context;
  if (version === "v2" && parts.length === 0) {
    const swagger = await swaggers(services.resources);
    return swagger.answer("v2", request.headers);
  }
  if (version !== "v3") throw errors.noSuchPath();
  return parts.length === 0 ? index(context) : document(context, parts.join("/"));
}

/** Built at the first request; concurrent requests share it. */
const swaggers = cached(
  async (table) => new Representation(await swaggerOf(plans(table).values()), documentV2),
);

async function index({ services }: OpenApiContext): Promise<ApiResponse> {
  const paths: Record<string, { readonly serverRelativeURL: string }> = {};
  for (const [path, plan] of plans(services.resources)) {
    if (!isBuilt(services.resources, path, plan)) await yieldToSockets();
    const { hash } = representationOf(services.resources, path, plan);
    paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` };
  }
  return value({ paths });
}

/**
 * KEP-2896: a URL with the present hash may be cached forever, and one with another hash redirects to the
 * present one.
 */
async function document({ request, services }: OpenApiContext, path: string): Promise<ApiResponse> {
  const plan = plans(services.resources).get(path);
  if (plan === undefined) throw errors.noSuchPath();
  const representation = representationOf(services.resources, path, plan);
  const { hash } = representation;
  const asked = request.query.get("hash");
  if (asked === null) return representation.answer("v3", request.headers);
  if (asked !== hash) {
    const location = `/openapi/v3/${path}?hash=${hash}`;
    return { status: 301, headers: { location }, body: { type: "empty" } };
  }
  const yearMs = 365 * 24 * 3600 * 1000;
  return representation.answer("v3", request.headers, {
    "cache-control": "public, immutable",
    expires: new Date(services.env.clock.now() + yearMs).toUTCString(),
  });
}

interface Known {
  readonly resources: readonly ServedResource[];
  readonly representation: Representation;
}

/** By path, such as `apis/apps/v1`. */
const documents = new WeakMap<ResourceTable, Map<string, Known>>();

function isBuilt(table: ResourceTable, path: string, plan: Plan): boolean {
  const resources = documents.get(table)?.get(path)?.resources;
  return resources !== undefined && isSame(resources, plan.resources);
}

function representationOf(table: ResourceTable, path: string, plan: Plan): Representation {
  const all = documents.get(table) ?? new Map<string, Known>();
  documents.set(table, all);
  const known = all.get(path);
  if (known !== undefined && isSame(known.resources, plan.resources)) return known.representation;
  // Documents that are no longer served are dropped.
  const present = plans(table);
  for (const path of all.keys()) if (!present.has(path)) all.delete(path);
  const representation = new Representation(plan.build(), documentV3);
  all.set(path, { resources: plan.resources, representation });
  return representation;
}

function isSame<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((one, index) => one === b[index]);
}
