import type { ResourceClient } from "../../client/resource-client.ts";
import type { KubeObject } from "../../meta/kind.ts";
import type { Selector } from "../../meta/labels.ts";
import { hasReason } from "../../meta/status.ts";
import { controllerRef, controllerRefOf } from "./controller-ref.ts";

/** The objects that an owner owns, is to adopt, and is to release. */
export interface Claims<O> {
  readonly owned: readonly O[];
  /** Selected objects without a controller. */
  readonly adopt: readonly O[];
  /** Owned objects that the selector no longer matches. */
  readonly release: readonly O[];
}

/**
 * Plans adoptions and releases by controller reference and selector (upstream `controller_ref_manager.go`).
 */
export function planClaims<O extends KubeObject>(
  owner: KubeObject,
  selector: Selector,
  objects: readonly O[],
): Claims<O> {
  const [owned, adopt, release]: [O[], O[], O[]] = [[], [], []];
  const ownerIsGoing = owner.metadata.deletionTimestamp !== undefined;
  for (const object of objects) {
    const ref = controllerRefOf(object);
    const selected = selector.matches(object.metadata.labels);
    if (ref !== undefined && ref.uid !== owner.metadata.uid) continue;
    if (ref !== undefined && selected) owned.push(object);
    else if (ownerIsGoing) continue;
    else if (ref !== undefined) release.push(object);
    else if (selected && object.metadata.deletionTimestamp === undefined) adopt.push(object);
  }
  return { owned, adopt, release };
}

export interface Claiming<O extends KubeObject> {
  readonly owner: KubeObject;
  /** The dependents' resource, in the owner's namespace. */
  readonly dependents: Pick<ResourceClient<O, object>, "patch">;
  /** Reads the owner from the API server, because the cache may not show its deletion yet. */
  readonly refetch: () => Promise<KubeObject>;
  /** The finalizers that adoption adds and release removes. */
  readonly finalizers?: readonly string[];
}

/**
 * Adopts and releases. Returns everything that the owner owns afterwards.
 * @throws the error of the first failed adoption or release, after all were tried.
 */
export async function claim<O extends KubeObject>(
  claims: Claims<O>,
  { owner, dependents, refetch, finalizers }: Claiming<O>,
): Promise<readonly O[]> {
  if (claims.adopt.length > 0) await checkStillThere(owner, refetch);
  const adopted = await Promise.allSettled(
    claims.adopt.map(async (object) => {
      const { uid } = object.metadata;
      const metadata = { uid, ownerReferences: [controllerRef(owner)], finalizers };
      return (await patched(dependents, object, metadata)) ? object : undefined;
    }),
  );
  const released = await Promise.allSettled(
    claims.release.map((object) => {
      const gone = { $patch: "delete", uid: owner.metadata.uid };
      const metadata = { uid: object.metadata.uid, ownerReferences: [gone] };
      const freed = { "$deleteFromPrimitiveList/finalizers": finalizers };
      return patched(dependents, object, finalizers === undefined ? metadata : { ...metadata, ...freed });
    }),
  );
  for (const one of [...adopted, ...released]) if (one.status === "rejected") throw one.reason;
  return [
    ...claims.owned,
    ...adopted.flatMap((one) => (one.status === "fulfilled" && one.value !== undefined ? [one.value] : [])),
  ];
}

/** Refuses adoption by an owner that is terminating, or that another object of its name replaced. */
async function checkStillThere(owner: KubeObject, refetch: () => Promise<KubeObject>): Promise<void> {
  const { metadata } = await refetch();
  const { kind } = owner;
  const name = `${owner.metadata.namespace}/${owner.metadata.name}`;
  if (metadata.uid !== owner.metadata.uid) {
    throw new AdoptionError(
      `original ${kind} ${name} is gone: got uid ${metadata.uid}, wanted ${owner.metadata.uid}`,
    );
  }
  if (metadata.deletionTimestamp !== undefined) {
    throw new AdoptionError(`${name} has just been deleted at ${metadata.deletionTimestamp}`);
  }
}

/**
 * The UID in the patch makes the server refuse when the object was replaced. Returns false when the object is
 * gone.
 */
async function patched<O extends KubeObject>(
  dependents: Claiming<O>["dependents"],
  { metadata: { name = "" } }: O,
  metadata: object,
): Promise<boolean> {
  try {
    await dependents.patch(name, { metadata }, { type: "strategic" });
    return true;
  } catch (error) {
    if (hasReason(error, "NotFound")) return false;
    throw error;
  }
}

/** The owner changed during the reconciliation; the next one sees its present state. */
export class AdoptionError extends Error {
  override readonly name = "AdoptionError";
}
