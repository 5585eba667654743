import { byOwner, defineIndex, keyOf } from "../../client/indexer.ts";
import type { Delta } from "../../client/informer.ts";
import type { Kind, KubeObject, ObjectOf } from "../../meta/kind.ts";
import { type Selector, selectorOf } from "../../meta/labels.ts";
import type { LabelSelector } from "../../meta/v1.ts";
import type { Cache } from "../../operator/cache.ts";
import { controllerOf, type Watch } from "../../operator/controller.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { controllerRefOf } from "./controller-ref.ts";

/** A kind whose objects select their dependents by labels. */
export interface Owners<K extends Kind> {
  readonly kind: K;
  readonly selector: (owner: ObjectOf<K>) => Selector;
}

/** The owners of a kind with a label selector in `spec.selector`. */
export function bySelector<K extends Kind<{ readonly spec: { readonly selector?: LabelSelector } }>>(
  kind: K,
): Owners<K> {
  return { kind, selector: ({ spec }) => selectorOf(spec.selector) };
}

/**
 * Watches the kind of the dependents. A change of a dependent queues its owner; an added orphan, or one with
 * changed labels, queues the owners that select it. The controller must have `owners` in its cache.
 */
export function dependents<K extends Kind, O extends Kind>(
  kind: K,
  owners: Owners<O>,
  observe: (delta: Delta<ObjectOf<K>>) => void = () => {},
): Watch<K> {
  const ownerOf = controllerOf(owners.kind);
  return {
    kind,
    map: (object, cache) =>
      controllerRefOf(object) === undefined ? suitorsOf(object, owners, cache) : ownerOf(object),
    filter: mayMatter,
    observe,
  };
}

function suitorsOf<O extends Kind>(
  { metadata: { namespace, labels } }: KubeObject,
  { kind, selector }: Owners<O>,
  cache: Cache,
): readonly string[] {
  if (labels === undefined) return [];
  return cache
    .list(kind, { namespace })
    .filter((owner) => selector(owner).matches(labels))
    .map(keyOf);
}

/**
 * Reports whether an owner may react: to an orphan only when it is added, and when its labels or owners
 * change.
 */
function mayMatter(delta: Delta<KubeObject>): boolean {
  if (controllerRefOf(delta.object) !== undefined) return true;
  if (delta.type !== "updated") return delta.type === "added";
  const { old, object } = delta;
  return (
    old === object ||
    !deepEqual(old.metadata.labels, object.metadata.labels) ||
    !deepEqual(old.metadata.ownerReferences, object.metadata.ownerReferences)
  );
}

const orphansIn = defineIndex<KubeObject>("orphans", (object) =>
  controllerRefOf(object) === undefined ? [object.metadata.namespace ?? ""] : [],
);

/** Returns the objects that an owner may claim: those that it owns, and the orphans that it selects. */
export function candidates<K extends Kind>(
  kind: K,
  { metadata: { uid = "", namespace = "" } }: KubeObject,
  selector: Selector,
  cache: Cache,
): readonly ObjectOf<K>[] {
  const owned = cache.list(kind, { index: byOwner(uid) });
  return [...new Set([...owned, ...cache.list(kind, { index: orphansIn(namespace), selector })])];
}
