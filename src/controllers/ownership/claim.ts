import type { ResourceClient } from "../../client/resource-client.ts";
import type { KubeObject } from "../../meta/kind.ts";
import type { Selector } from "../../meta/labels.ts";
import { hasReason } from "../../meta/status.ts";
import { controllerRef, controllerRefOf } from "./controller-ref.ts";

/** How an owner stands to the objects that it selects or has selected. */
export interface Claims<O> {
  readonly owned: readonly O[];
  /** Without a controller, and selected. */
  readonly adopt: readonly O[];
  /** Owned, and not selected any more. */
  readonly release: readonly O[];
}

/** Who is whose, by controller reference and selector (upstream `controller_ref_manager.go`). */
export function planClaims<O extends KubeObject>(
  owner: KubeObject,
  selector: Selector,
  objects: readonly O[],
): Claims<O> {
  const claims = { owned: [] as O[], adopt: [] as O[], release: [] as O[] };
  const ownerIsGoing = owner.metadata.deletionTimestamp !== undefined;
  for (const object of objects) {
    const ref = controllerRefOf(object);
    const selected = selector.matches(object.metadata.labels);
    if (ref !== undefined && ref.uid !== owner.metadata.uid) continue;
    if (ref !== undefined && selected) claims.owned.push(object);
    else if (ownerIsGoing) continue;
    else if (ref !== undefined) claims.release.push(object);
    else if (selected && object.metadata.deletionTimestamp === undefined) claims.adopt.push(object);
  }
  return claims;
}

export interface Claiming<O extends KubeObject> {
  readonly owner: KubeObject;
  /** The dependents' resource, in the owner's namespace. */
  readonly dependents: Pick<ResourceClient<O, object>, "patch">;
  /** Reads the owner from the server: the cache may not know yet that it is gone. */
  readonly refetch: () => Promise<KubeObject>;
}

/**
 * Adopts and releases; answers with everything that is the owner's afterwards.
 * @throws what the first failed adoption or release threw, after all were tried.
 */
export async function claim<O extends KubeObject>(
  claims: Claims<O>,
  { owner, dependents, refetch }: Claiming<O>,
): Promise<readonly O[]> {
  if (claims.adopt.length > 0) await checkStillThere(owner, refetch);
  const adopted = await Promise.allSettled(
    claims.adopt.map(async (object) => {
      const metadata = { uid: object.metadata.uid, ownerReferences: [controllerRef(owner)] };
      return (await patched(dependents, object, metadata)) ? object : undefined;
    }),
  );
  const released = await Promise.allSettled(
    claims.release.map((object) => {
      const gone = { $patch: "delete", uid: owner.metadata.uid };
      return patched(dependents, object, { uid: object.metadata.uid, ownerReferences: [gone] });
    }),
  );
  for (const one of [...adopted, ...released]) if (one.status === "rejected") throw one.reason;
  return [
    ...claims.owned,
    ...adopted.flatMap((one) => (one.status === "fulfilled" && one.value !== undefined ? [one.value] : [])),
  ];
}

/** An owner that is being deleted, or was replaced by another of its name, must not adopt. */
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

/** The UID in the patch makes the server refuse when the object was replaced. False: it is gone. */
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

/** The owner changed under our hands: the next reconciliation sees it as it is. */
export class AdoptionError extends Error {
  override readonly name = "AdoptionError";
}
