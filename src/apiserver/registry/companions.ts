import { objectOf } from "../../meta/decode.ts";
import type { KubeObject } from "../../meta/kind.ts";
import type { Expectation, Write } from "../../store/store.ts";
import type { Companion } from "../admission/plugin.ts";
import type { DraftObject } from "../resources/draft.ts";
import { draftOf } from "../../meta/schema.ts";
import { prepareMetadataForCreate } from "./metadata.ts";
import { own } from "./ownership.ts";
import type { Scope } from "./scope.ts";
import type { Target } from "../resources/target.ts";

/** Writes of one commit, and its conditions. */
export interface Alongside {
  readonly writes: readonly Write[];
  readonly expectations: readonly Expectation[];
}

const nothing: Alongside = { writes: [], expectations: [] };
/** The owner of the fields of objects that the server creates. */
const fieldManager = "kube-apiserver";

/**
 * Returns the writes of the objects that admission plugins create and delete together with a change of an object.
 * `old` is undefined for a create, and `next` for a deletion.
 */
export function alongside(
  scope: Scope,
  { resource }: Target,
  old: KubeObject | undefined,
  next: KubeObject | undefined,
): Alongside | Promise<Alongside> {
  const all: Companion[] = [];
  // Every write comes here, and one plugin has companions.
  for (const plugin of scope.admission)
    if (plugin.companions !== undefined) all.push(...plugin.companions({ resource, old, next }));
  // Most writes have none, and every await takes a turn.
  return all.length === 0 ? nothing : writesOf(scope, all);
}

async function writesOf(scope: Scope, all: readonly Companion[]): Promise<Alongside> {
  const writes: Write[] = [];
  const expectations: Expectation[] = [];
  for (const one of all) {
    const resource = scope.services.resources.of(one.kind);
    const key = resource.key("", one.name);
    if (one.type === "delete") writes.push({ type: "delete", key });
    else {
      const object = await created(scope, { resource, namespace: "", name: one.name, subresource: "" }, one);
      writes.push({ type: "put", key, ...scope.services.codec.encode(object) });
      expectations.push({ key, revision: 0 });
    }
  }
  return { writes, expectations };
}

async function created(
  scope: Scope,
  target: Target,
  { kind, object }: Extract<Companion, { type: "create" }>,
): Promise<KubeObject> {
  const draft: DraftObject = draftOf(objectOf(kind, object));
  prepareMetadataForCreate(draft, target.resource, scope.services.env);
  await own(scope, target, undefined, draft, { dryRun: false, fieldManager });
  return draft;
}
