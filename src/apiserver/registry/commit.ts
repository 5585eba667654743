import type { KubeObject } from "../../meta/kind.ts";
import type { Before } from "../../meta/strategy.ts";
import { ExpectationError } from "../../store/errors.ts";
import type { Entry, Revision } from "../../store/store.ts";
import { mustTakeObjects } from "./check.ts";
import { alongside } from "./companions.ts";
import type { Scope } from "./scope.ts";
import type { Shown } from "../resources/served.ts";
import type { Target } from "../resources/target.ts";

/** Resolves to undefined after a conflict. */
export async function tryRemove(
  scope: Scope,
  target: Target,
  { key, revision: expected }: Entry,
  last: KubeObject,
): Promise<Shown | undefined> {
  const { store } = scope.services;
  const extra = alongside(scope, target, last, undefined);
  const { writes, expectations } = extra instanceof Promise ? await extra : extra;
  const revision = await unlessRaced(
    store.commit([{ type: "delete", key }, ...writes], [{ key, revision: expected }, ...expectations]),
  );
  if (revision === undefined) return undefined;
  const metadata = { ...last.metadata, resourceVersion: String(revision) };
  return { object: { ...last, metadata }, encoded: undefined };
}

/** Resolves to undefined when the expectation did not hold. */
export async function tryCommit(
  scope: Scope,
  target: Target,
  object: KubeObject,
  expected: Revision | 0,
  before?: Before,
): Promise<Shown | undefined> {
  const { store, codec } = scope.services;
  const { resource } = target;
  const key = resource.key(object.metadata.namespace ?? "", object.metadata.name ?? "");
  const stored = resource.stored(object, before);
  const value = codec.encode(stored instanceof Promise ? await stored : stored);
  const extra = alongside(scope, target, expected === 0 ? undefined : (before?.shown ?? object), object);
  const { writes, expectations } = extra instanceof Promise ? await extra : extra;
  if (expected === 0) mustTakeObjects(scope, target, object.metadata.name ?? "");
  const revision = await unlessRaced(
    store.commit([{ type: "put", key, ...value }, ...writes], [{ key, revision: expected }, ...expectations]),
  );
  if (revision === undefined) return undefined;
  const entry = store.read(key, revision);
  if (entry === undefined) throw new TypeError(`${key} vanished at its own revision`);
  return resource.show(codec, entry);
}

/**
 * Returns the answer of a dry run. The object is converted to its stored form and back, as in a write
 * (apiserver `DryRunnableStorage`), so that conversion, pruning and defaults show. Nothing is written.
 */
export async function rehearse({ resource }: Target, object: KubeObject, before?: Before): Promise<Shown> {
  return { object: await resource.shown(await resource.stored(object, before)), encoded: undefined };
}

async function unlessRaced<T>(write: Promise<T>): Promise<T | undefined> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof ExpectationError) return undefined;
    throw error;
  }
}
