import type { KubeObject } from "../../meta/kind.ts";
import { ExpectationError } from "../../store/errors.ts";
import type { Entry, Revision } from "../../store/store.ts";
import type { Context } from "../context.ts";
import { mustTakeObjects } from "./check.ts";
import type { DraftObject } from "./metadata.ts";
import type { Shown } from "./served.ts";
import type { Target } from "./write.ts";

/** undefined when somebody else wrote in between. */
export async function tryRemove(
  context: Context,
  { key, revision: expected }: Entry,
  last: KubeObject,
): Promise<Shown | undefined> {
  return unlessRaced(async () => {
    const revision = await context.services.store.commit(
      [{ type: "delete", key }],
      [{ key, revision: expected }],
    );
    const metadata = { ...last.metadata, resourceVersion: String(revision) };
    return { object: { ...last, metadata }, encoded: undefined };
  });
}

/** undefined when the expectation did not hold. */
export async function tryCommit(
  context: Context,
  target: Target,
  draft: DraftObject,
  expected: Revision | 0,
): Promise<Shown | undefined> {
  const { store, codec } = context.services;
  const { resource } = target;
  const key = resource.key(draft.metadata.namespace ?? "", draft.metadata.name ?? "");
  return unlessRaced(async () => {
    const value = codec.encode(await resource.stored(draft));
    if (expected === 0) mustTakeObjects(context, target, draft.metadata.name ?? "");
    const revision = await store.commit([{ type: "put", key, value }], [{ key, revision: expected }]);
    const entry = store.read(key, revision);
    if (entry === undefined) throw new TypeError(`${key} vanished at its own revision`);
    const [shown] = await resource.show(codec, [entry]);
    return shown;
  });
}

async function unlessRaced<T>(write: () => Promise<T>): Promise<T | undefined> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof ExpectationError) return undefined;
    throw error;
  }
}
