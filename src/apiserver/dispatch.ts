import type { ApiResponse } from "../meta/exchange.ts";
import { errors, type Status } from "../meta/status.ts";
import type { Context } from "./context.ts";
import type { ResourceRequest } from "./request-info.ts";
import { createAccess } from "./authz/access-request.ts";
import { decodeBody, readBody } from "./rest/body.ts";
import { askedRevision, listParameters, watchParameters } from "./rest/list-options.ts";
import { deleteOptions, dryRun, fieldManager } from "./rest/options.ts";
import { patch } from "./rest/patch.ts";
import { get, list } from "./registry/read.ts";
import { partOf } from "./resources/part.ts";
import { type Removed, remove } from "./registry/remove.ts";
import type { Shown } from "./resources/served.ts";
import {
  formOf,
  methodNotServed,
  respondList,
  respondObject,
  respondStatus,
  transformOf,
} from "./rest/respond.ts";
import { type Handle, virtualResources } from "./subresources/endpoints.ts";
import { scale } from "./subresources/scale.ts";
import { servePath } from "./paths.ts";
import { parseSelection } from "./registry/selection.ts";
import { watch } from "./registry/watch.ts";
import type { Target } from "./resources/target.ts";
import { create, update } from "./registry/write.ts";
import { ownValue, table } from "../util/table.ts";
import { inSlices } from "../util/yield.ts";

const verbs: Readonly<Record<string, Handle>> = table({
  get: async (context, target) => {
    const atLeast = askedRevision(context.request.query);
    return respondObject(context, target.resource, await get(context, target, atLeast));
  },
  list: async (context, { resource, namespace }) => {
    const { query } = context.request;
    const selection = parseSelection(resource, namespace, query);
    const parameters = listParameters(query, context.services.store);
    return respondList(context, resource, await list(context, selection, parameters));
  },
  watch: (context, { resource, namespace, name }) => {
    const { query } = context.request;
    const { store, env } = context.services;
    const selection = parseSelection(resource, namespace, query, name);
    const transform = transformOf(context, resource);
    const parameters = watchParameters(query, store, env.random);
    const batches = watch(context, selection, parameters, transform);
    return { status: 200, headers: {}, body: { type: "events", contentType: "application/json", batches } };
  },
  create: async (context, target) => {
    formOf(context, "object", target.resource);
    const body = await readBody(context, target.resource.kind);
    const draft = decodeBody(target.resource.kind, body, context);
    await context.pace.pause();
    target.resource.strategy.setDefaults?.(draft);
    const written = await create(context, target, draft, writeOptions(context));
    return respondObject(context, target.resource, written, 201);
  },
  update: updateObject,
  patch,
  delete: async (context, target) => {
    formOf(context, "object", target.resource);
    return respondRemoved(context, target, await remove(context, target, await deleteOptions(context)));
  },
  deletecollection: deleteCollection,
});

/** The endpoints of subresources that are not part of their object, by names such as `pods/eviction`. */
type Subresources = ReadonlyMap<string, Handle>;

/** Answers a request; the last step of the chain. */
export async function serve(context: Context, subresources: Subresources): Promise<ApiResponse> {
  const { resource } = context.info;
  return resource === undefined ? servePath(context) : dispatch(context, resource, subresources);
}

function dispatch(
  context: Context,
  request: ResourceRequest,
  subresources: Subresources,
): ApiResponse | Promise<ApiResponse> {
  const { group, version, resource: plural, namespace, name, subresource } = request;
  checkSegment("Name", name);
  checkSegment("Namespace", namespace);
  const resource = context.services.resources.find(group, version, plural);
  if (resource === undefined) throw errors.noSuchPath();
  if (
    resource.kind.namespaced ? name !== "" && namespace === "" : namespace !== "" && plural !== "namespaces"
  ) {
    throw errors.noSuchPath();
  }
  const warning = resource.custom?.warning ?? resource.strategy.deprecation;
  if (warning !== undefined) context.warn(warning);
  const target: Target = {
    resource,
    namespace: resource.kind.namespaced ? namespace : "",
    name,
    subresource,
  };
  const { verb } = context.info;
  // As upstream: resources support GET, not HEAD; a proxy passes every method on.
  const isProxied = subresource === "proxy" && name !== "" && verb !== "watch";
  if (context.request.method === "HEAD" && !isProxied) throw methodNotServed();
  const handle = handlerOf(target, verb, subresources);
  const allowed = subresource === "" ? resource.kind.verbs.includes(verb) : handle !== undefined;
  const isOfOne = verb === "update" || verb === "patch";
  const isOfAll = subresource === "" && verb === "create";
  const isMisplaced = (name === "" && isOfOne) || (name !== "" && isOfAll);
  // Objects of all namespaces can only be listed and watched.
  const isEverywhere = resource.kind.namespaced && namespace === "" && verb !== "list" && verb !== "watch";
  if (isEverywhere && resource.custom !== undefined) throw errors.noSuchPath();
  if (handle === undefined || !allowed || isMisplaced || isEverywhere) throw methodNotServed();
  return handle(context, target, verb);
}

function handlerOf(
  { resource, subresource, name }: Target,
  verb: string,
  subresources: Subresources,
): Handle | undefined {
  if (subresource === "") {
    const virtual = virtualResources.get(resource.storageName);
    return virtual === undefined ? verbs[verb] : virtual.get(verb);
  }
  const special = subresources.get(`${resource.storageName}/${subresource}`);
  if (special !== undefined) {
    const verbs = ownValue(resource.kind.subresources, subresource)?.verbs;
    const isServed =
      verbs === undefined || verbs.includes(verb) || (subresource === "proxy" && verb === "options");
    return isServed ? special : undefined;
  }
  const isOfPart = verb === "get" || verb === "update" || verb === "patch";
  if (partOf(resource, subresource) !== undefined) return isOfPart ? verbs[verb] : undefined;
  if (subresource === "scale" && resource.kind.scale !== undefined) return isOfPart ? scale : undefined;
  if (resource.custom !== undefined) throw errors.notFound(resource.name, name);
  throw errors.noSuchPath();
}

/** A name that looks like a part of a path must not reach the store's keys. */
function checkSegment(what: string, value: string): void {
  const problem =
    value === "." || value === ".."
      ? `may not be '${value}'`
      : (["/", "%"].find((sign) => value.includes(sign)) ?? "");
  if (problem === "") return;
  const why = problem.length === 1 ? `may not contain '${problem}'` : problem;
  throw errors.badRequest(`${what} parameter invalid: ${JSON.stringify(value)}: ${why}`);
}

function writeOptions(context: Context) {
  return { dryRun: dryRun(context), fieldManager: fieldManager(context) };
}

async function updateObject(context: Context, target: Target): Promise<ApiResponse> {
  const { resource } = target;
  formOf(context, "object", resource);
  const body = await readBody(context, resource.kind);
  const decodeDraft = async () => {
    const draft = decodeBody(resource.kind, body, context);
    await context.pace.pause();
    resource.strategy.setDefaults?.(draft);
    return draft;
  };
  const exists = context.services.store.read(resource.key(target.namespace, target.name)) !== undefined;
  const createsIt = !exists && resource.strategy.allowCreateOnUpdate === true && target.subresource === "";
  const written = createsIt
    ? await create(context, target, await decodeDraft(), {
        ...writeOptions(context),
        createAccess: createAccess(context),
      })
    : await update(context, target, decodeDraft, writeOptions(context));
  return respondObject(context, resource, written, written.created ? 201 : 200);
}

function respondRemoved(context: Context, { resource, name }: Target, removed: Removed): ApiResponse {
  if (!removed.gone || resource.strategy.returnDeletedObject === true)
    return respondObject(context, resource, removed);
  const { uid } = removed.object.metadata;
  const details = {
    name,
    ...(resource.kind.group === "" ? {} : { group: resource.kind.group }),
    kind: resource.kind.plural,
    ...(uid === undefined ? {} : { uid }),
  };
  const status: Status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details,
    code: 200,
  };
  return respondStatus(status);
}

/** The number of concurrent deletions in the store. */
const deletionsAtOnce = 64;

/** Deletes the selected objects and answers with them. Other requests have a turn between two slices. */
async function deleteCollection(context: Context, target: Target): Promise<ApiResponse> {
  const { resource, namespace } = target;
  formOf(context, "list", resource);
  const options = await deleteOptions(context);
  const selection = parseSelection(resource, namespace, context.request.query);
  const parameters = listParameters(context.request.query, context.services.store);
  const chosen = await list(context, selection, parameters);
  const removeOne = async ({ object: { metadata } }: Shown) => {
    const one = { ...target, namespace: metadata.namespace ?? "", name: metadata.name ?? "" };
    try {
      return await remove(context, one, options);
    } catch (error) {
      // Another client deleted it first.
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
  const removed = await inSlices(chosen.items, deletionsAtOnce, removeOne);
  const items = removed.filter((one) => one !== undefined);
  return respondList(context, resource, { ...chosen, items });
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && "reason" in error && error.reason === "NotFound";
}
