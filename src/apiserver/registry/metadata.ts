import type { KubeObject } from "../../meta/kind.ts";
import type { Draft } from "../../meta/schema.ts";
import { errors, failure } from "../../meta/status.ts";
import type { ObjectMeta } from "../../meta/v1.ts";
import { formatTime } from "../../util/clock.ts";
import type { Env } from "../../util/env.ts";
import { nameSuffix, type Random, uuid } from "../../util/random.ts";
import type { DraftObject } from "../resources/draft.ts";
import type { ServedResource } from "../resources/served.ts";

/** The greatest length of a generated name without its five random characters. */
const maxGeneratedPrefix = 58;

/** Sets the metadata of a new object that the server decides, and clears fields that clients may not set. */
export function prepareMetadataForCreate(draft: DraftObject, resource: ServedResource, env: Env): void {
  const { metadata } = draft;
  if (/^[1-9]\d*$/.test(metadata.resourceVersion ?? "")) {
    throw failure(500, "", "resourceVersion should not be set on objects to be created");
  }
  delete metadata.resourceVersion;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
  delete metadata.generation;
  if (resource.strategy.generation === true) metadata.generation = 1;
  metadata.uid = uuid(env.random);
  metadata.creationTimestamp = formatTime(env.clock.now());
  if (metadata.name === undefined && metadata.generateName !== undefined) {
    metadata.name = generatedName(metadata.generateName, env.random);
  }
}

export function generatedName(prefix: string, random: Random): string {
  return prefix.slice(0, maxGeneratedPrefix) + nameSuffix(random);
}

/** Removes duplicate owners, and warns the client. */
export function dedupeOwners({ metadata }: DraftObject, warn: (text: string) => void): void {
  const owners = metadata.ownerReferences;
  if (owners === undefined || owners.length < 2) return;
  const kept: typeof owners = [];
  const duplicates: string[] = [];
  // In canonical form, equal values have equal texts.
  const seen = new Set<string>();
  for (const owner of owners) {
    const text = JSON.stringify(owner);
    if (seen.has(text)) duplicates.push(owner.uid);
    else kept.push(owner);
    seen.add(text);
  }
  if (duplicates.length === 0) return;
  metadata.ownerReferences = kept;
  warn(
    `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${duplicates.join(", ")}`,
  );
}

/**
 * Sets the namespace from the path. An object with another namespace is refused; a cluster-scoped object
 * loses its namespace.
 */
export function settleNamespace(
  metadata: Draft<ObjectMeta>,
  resource: ServedResource,
  namespace: string,
): void {
  if (!resource.kind.namespaced) {
    delete metadata.namespace;
    return;
  }
  if (metadata.namespace !== undefined && metadata.namespace !== namespace) {
    throw namespaceMismatch();
  }
  metadata.namespace = namespace;
}

export function namespaceMismatch() {
  return errors.badRequest(
    "the namespace of the provided object does not match the namespace sent on the request",
  );
}

/** Restores metadata that updates may not change from the stored object. */
export function prepareMetadataForUpdate(
  draft: DraftObject,
  old: KubeObject,
  resource: ServedResource,
): void {
  const { metadata } = draft;
  const stored = old.metadata;
  if (metadata.uid !== undefined && metadata.uid !== stored.uid) {
    throw errors.conflict(
      resource.name,
      stored.name ?? "",
      `Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${stored.uid}`,
    );
  }
  const carried = {
    uid: stored.uid,
    creationTimestamp: stored.creationTimestamp,
    // Other values of these are kept, and validation refuses them as immutable.
    deletionTimestamp: metadata.deletionTimestamp ?? stored.deletionTimestamp,
    deletionGracePeriodSeconds: metadata.deletionGracePeriodSeconds ?? stored.deletionGracePeriodSeconds,
    generation: stored.generation,
    resourceVersion: stored.resourceVersion,
    generateName: stored.generateName,
  };
  for (const [name, value] of Object.entries(carried)) {
    if (value === undefined) Reflect.deleteProperty(metadata, name);
    else Object.assign(metadata, { [name]: value });
  }
  delete metadata.selfLink;
}
