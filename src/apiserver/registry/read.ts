import type { Kind, KubeObject } from "../../meta/kind.ts";
import { errors } from "../../meta/status.ts";
import { CompactedError, FutureRevisionError } from "../../store/errors.ts";
import type { Entry, Page, Revision } from "../../store/store.ts";
import type { Context } from "../context.ts";
import { checkListOptions } from "./list-options.ts";
import { parseInteger } from "./options.ts";
import { type Selection, selects, selectsAll } from "./selection.ts";
import type { Shown } from "./served.ts";
import type { Target } from "./write.ts";

export async function get(context: Context, { resource, namespace, name }: Target): Promise<Shown> {
  const { store, codec } = context.services;
  const asked = parseRevision(context.request.query.get("resourceVersion") ?? "");
  if (asked > store.revision) throw tooLarge(new FutureRevisionError(asked, store.revision));
  const entry = store.read(resource.key(namespace, name));
  if (entry === undefined) throw errors.notFound(resource.name, name);
  return resource.show(codec, entry);
}

/** An object of a kind that is stored as it is shown. @throws StatusError 404 */
export function getPlain({ services }: Context, kind: Kind, namespace: string, name: string): KubeObject {
  const resource = services.resources.of(kind);
  const entry = services.store.read(resource.key(namespace, name));
  if (entry === undefined) throw errors.notFound(resource.name, name);
  return services.codec.decode(entry);
}

/** Objects of one page, with what the list's metadata says of it. */
export interface Listing {
  readonly items: readonly Shown[];
  /** undefined for what the store does not hold. */
  readonly revision: Revision | undefined;
  readonly continue: string | undefined;
  readonly remaining: number | undefined;
}

interface ListParameters {
  readonly limit: number;
  readonly at: Revision | undefined;
  readonly after: string | undefined;
}

export async function list(context: Context, selection: Selection): Promise<Listing> {
  const { store, codec } = context.services;
  const { resource } = selection;
  const prefix = resource.prefix(selection.namespace);
  const show = (entries: readonly Entry[]) => resource.showAll(codec, entries);
  const { limit, at, after } = listParameters(context, prefix);
  const read = (from: string | undefined, count: number) =>
    readPage(context, prefix, {
      ...(at === undefined ? {} : { at }),
      ...(count === 0 ? {} : { limit: count }),
      ...(from === undefined ? {} : { after: from }),
    });
  if (selectsAll(selection)) {
    const page = read(after, limit);
    return listing(page, await show(page.entries), prefix, page.remaining, page.entries.at(-1)?.key);
  }
  if (selection.name !== "" && resource.kind.namespaced === (selection.namespace !== "")) {
    const entry = store.read(prefix + selection.name, at);
    const revision = at ?? store.revision;
    const found = entry === undefined ? [] : await show([entry]);
    const items = found.filter(({ object }) => selects(selection, object));
    return { items, revision, continue: undefined, remaining: undefined };
  }
  // A page is filled from as much of the store as it takes: selectors may leave out most of it.
  const found: Shown[] = [];
  for (let from = after; ;) {
    const page = read(from, limit);
    for (const [index, item] of (await show(page.entries)).entries()) {
      if (selects(selection, item.object)) found.push(item);
      if (limit > 0 && found.length >= limit) {
        const rest = index < page.entries.length - 1 || page.remaining > 0;
        return listing(page, found, prefix, rest ? 1 : 0, page.entries[index]?.key, true);
      }
    }
    from = page.entries.at(-1)?.key;
    if (page.remaining === 0 || from === undefined) return listing(page, found, prefix, 0, undefined);
  }
}

function listing(
  page: Page,
  items: readonly Shown[],
  prefix: string,
  remaining: number,
  last: string | undefined,
  filtered = false,
): Listing {
  const more = remaining > 0 && last !== undefined;
  return {
    items,
    revision: page.revision,
    continue: more ? continueToken(page.revision, last.slice(prefix.length)) : undefined,
    // With a selector nobody has counted what follows.
    remaining: more && !filtered ? remaining : undefined,
  };
}

function readPage(
  context: Context,
  prefix: string,
  options: { at?: Revision; limit?: number; after?: string },
): Page {
  try {
    return context.services.store.list(prefix, options);
  } catch (error) {
    if (error instanceof CompactedError) {
      if (options.after === undefined)
        throw errors.expired("The resourceVersion for the provided list is too old.");
      const token = continueToken(-1, options.after.slice(prefix.length));
      throw errors.expired(
        "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.",
        { continue: token },
      );
    }
    if (error instanceof FutureRevisionError) throw tooLarge(error);
    throw error;
  }
}

/** The client has seen a newer state than this server: it should come back. */
export function tooLarge({ requested, current }: FutureRevisionError) {
  return errors.timeout(`Too large resource version: ${requested}, current: ${current}`, 1, [
    { reason: "ResourceVersionTooLarge", message: "Too large resource version" },
  ]);
}

function listParameters(context: Context, prefix: string): ListParameters {
  const { query } = context.request;
  const limit = Math.max(parseInteger(query.get("limit") || "0"), 0);
  const version = query.get("resourceVersion") ?? "";
  const match = query.get("resourceVersionMatch") ?? "";
  const token = query.get("continue") ?? "";
  checkListOptions(query, false);
  parseInteger(query.get("timeoutSeconds") || "0");
  if (token !== "") {
    const { revision, start } = parseContinue(token);
    if (version !== "" && version !== "0")
      throw errors.badRequest("specifying resource version is not allowed when using continue");
    return { limit, at: revision, after: prefix + start };
  }
  const revision = parseRevision(version, "invalid resource version: ");
  const isExact = match === "Exact" || (match === "" && limit > 0 && revision > 0);
  if (revision > context.services.store.revision) {
    throw tooLarge(new FutureRevisionError(revision, context.services.store.revision));
  }
  return { limit, at: isExact ? revision : undefined, after: undefined };
}

/** A resourceVersion of a request; empty means 0. */
export function parseRevision(text: string, what = ""): Revision {
  if (text === "") return 0 as Revision;
  if (!/^(0|[1-9]\d{0,15})$/.test(text))
    throw errors.badRequest(
      `${what}resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
    );
  return Number(text) as Revision;
}

/** Opaque to clients; upstream's form, so that tools which peek at it still find what they expect. */
function continueToken(revision: number, start: string): string {
  return Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv: revision, start })).toString("base64url");
}

function parseContinue(token: string): { revision: Revision | undefined; start: string } {
  const refuse = (why: string) =>
    errors.badRequest(`invalid continue token: continue key is not valid${why}`);
  const { v, rv, start } = openToken(token, refuse);
  if (v !== "meta.k8s.io/v1") throw refuse(`: server does not recognize this encoded version ${String(v)}`);
  if (typeof rv !== "number" || rv === 0)
    throw refuse(": incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  if (typeof start !== "string" || start === "")
    throw refuse(": encoded start key empty (version meta.k8s.io/v1)");
  // Nobody climbs out of what the list is of.
  if (start.split("/").some((part) => part === "" || part === "." || part === ".."))
    throw refuse(`: ${start}`);
  return { revision: rv > 0 ? (rv as Revision) : undefined, start };
}

function openToken(token: string, refuse: (why: string) => Error): Readonly<Record<string, unknown>> {
  const wrong = token.search(/[^A-Za-z0-9_-]/);
  const cut = token.length % 4 === 1 ? token.length - 1 : -1;
  const at = wrong < 0 ? cut : wrong;
  if (at >= 0) throw refuse(`: illegal base64 data at input byte ${at}`);
  try {
    return Object(JSON.parse(Buffer.from(token, "base64url").toString()));
  } catch (error) {
    throw refuse(`: ${error instanceof Error ? error.message : String(error)}`);
  }
}
