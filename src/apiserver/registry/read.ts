import type { Kind, KubeObject } from "../../meta/kind.ts";
import { errors } from "../../meta/status.ts";
import { CompactedError, FutureRevisionError } from "../../store/errors.ts";
import type { Entry, Page, Revision } from "../../store/store.ts";
import { continueToken } from "./continue-token.ts";
import type { Scope } from "./scope.ts";
import { type Selection, selects, selectsAll } from "./selection.ts";
import type { Shown } from "../resources/served.ts";
import type { Target } from "../resources/target.ts";
import { noRevision } from "../../store/revision.ts";

/** Returns an object in a state that is at least as new as the revision. @throws StatusError 404, 504 */
export async function get(
  { services }: Scope,
  { resource, namespace, name }: Target,
  atLeast: Revision = noRevision,
): Promise<Shown> {
  const { store, codec } = services;
  if (atLeast > store.revision) throw tooLarge(new FutureRevisionError(atLeast, store.revision));
  const entry = store.read(resource.key(namespace, name));
  if (entry === undefined) throw errors.notFound(resource.name, name);
  return resource.show(codec, entry);
}

/** Returns an object of a kind that is stored in the form that clients see. @throws StatusError 404 */
export function getPlain<O extends object, I extends object>(
  { services }: Scope,
  kind: Kind<O, I>,
  namespace: string,
  name: string,
): KubeObject<O> {
  const found = services.reader.get(kind, namespace, name);
  if (found === undefined) throw errors.notFound({ group: kind.group, resource: kind.plural }, name);
  return found;
}

/** The objects of one page, with the list's metadata. */
export interface Listing {
  readonly items: readonly Shown[];
  /** Undefined for a list that is not from the store. */
  readonly revision: Revision | undefined;
  readonly continue: string | undefined;
  readonly remaining: number | undefined;
}

/** The parameters of one page of a list. */
export interface ListParameters {
  /** 0 for no limit. */
  readonly limit: number;
  readonly at: Revision | undefined;
  /** The key to continue after, relative to the list's prefix. */
  readonly after: string | undefined;
}

export async function list(
  scope: Scope,
  selection: Selection,
  { limit, at, after }: ListParameters,
): Promise<Listing> {
  const { store, codec } = scope.services;
  const { resource } = selection;
  const prefix = resource.prefix(selection.namespace);
  const start = after === undefined ? undefined : prefix + after;
  const show = (entries: readonly Entry[]) => resource.showAll(codec, entries);
  const read = (from: string | undefined, count: number) =>
    readPage(scope, prefix, {
      ...(at === undefined ? {} : { at }),
      ...(count === 0 ? {} : { limit: count }),
      ...(from === undefined ? {} : { after: from }),
    });
  if (selectsAll(selection)) {
    const page = read(start, limit);
    return listing(page, await show(page.entries), prefix, page.remaining, page.entries.at(-1)?.key);
  }
  if (selection.name !== "" && resource.kind.namespaced === (selection.namespace !== "")) {
    const entry = store.read(prefix + selection.name, at);
    const revision = at ?? store.revision;
    const found = entry === undefined ? [] : await show([entry]);
    const items = found.filter(({ object }) => selects(selection, object));
    return { items, revision, continue: undefined, remaining: undefined };
  }
  // A page may take several reads of the store, because selectors may leave out most objects.
  const found: Shown[] = [];
  for (let from = start; ;) {
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
    // With a selector the number of remaining objects is unknown.
    remaining: more && !filtered ? remaining : undefined,
  };
}

function readPage(
  { services }: Scope,
  prefix: string,
  options: { at?: Revision; limit?: number; after?: string },
): Page {
  try {
    return services.store.list(prefix, options);
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

/** The client has seen a newer state than this server: it should retry. */
export function tooLarge({ requested, current }: FutureRevisionError) {
  return errors.timeout(`Too large resource version: ${requested}, current: ${current}`, 1, [
    { reason: "ResourceVersionTooLarge", message: "Too large resource version" },
  ]);
}
