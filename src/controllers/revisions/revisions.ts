import type { ControllerRevision } from "../../api/apps/controller-revision/schema.ts";
import type { PodTemplateSpec } from "../../api/core/pod/spec.ts";
import { sortKeys } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/kind.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { isObject } from "../../util/is-object.ts";
import { templateHash } from "../deployment/template-hash.ts";

/**
 * The snapshot of a template in a ControllerRevision: a patch of the owner (upstream `getPatch`). Its keys are sorted,
 * because upstream compares the bytes: in another order, its controllers would replace all Pods.
 */
export function snapshotOf(template: PodTemplateSpec): Readonly<Record<string, unknown>> {
  return { spec: { template: sortKeys({ ...template, $patch: "replace" }) } };
}

/** The template in a revision; undefined when it holds none. */
export function templateIn({ data }: ControllerRevision): unknown {
  const spec = isObject(data) ? data["spec"] : undefined;
  const template = isObject(spec) ? spec["template"] : undefined;
  if (!isObject(template)) return undefined;
  const { $patch: _, ...rest } = template;
  return rest;
}

/** The step that makes the newest revision that of the present template. */
export type RevisionStep =
  | { readonly type: "none"; readonly revision: ControllerRevision }
  /** An old revision is equal to the template: it becomes the newest again. */
  | { readonly type: "renumber"; readonly revision: ControllerRevision; readonly number: number }
  | { readonly type: "create"; readonly name: string; readonly hash: string; readonly number: number };

/** Plans the update revision (upstream `getStatefulSetRevisions`, `constructHistory`). */
export function planRevision(
  owner: KubeObject,
  template: PodTemplateSpec,
  revisions: readonly ControllerRevision[],
  collisions: number | undefined,
): RevisionStep {
  const newest = revisions.reduce((highest, { revision }) => Math.max(highest, revision), 0);
  const snapshot = snapshotOf(template);
  const equal = revisions
    .filter(({ data }) => deepEqual(data, snapshot))
    .toSorted((a, b) => b.revision - a.revision)[0];
  if (equal !== undefined) {
    return equal.revision === newest
      ? { type: "none", revision: equal }
      : { type: "renumber", revision: equal, number: newest + 1 };
  }
  const hash = templateHash(template, collisions);
  return { type: "create", name: revisionName(owner, hash), hash, number: newest + 1 };
}

const maxPrefix = 223;

function revisionName({ metadata }: KubeObject, hash: string): string {
  return `${(metadata.name ?? "").slice(0, maxPrefix)}-${hash}`;
}

/** The revisions beyond the limit that nothing uses, the oldest first. */
export function surplusRevisions(
  revisions: readonly ControllerRevision[],
  isUsed: (name: string) => boolean,
  limit: number,
): readonly ControllerRevision[] {
  const unused = revisions
    .filter(({ metadata }) => !isUsed(metadata.name ?? ""))
    .toSorted((a, b) => a.revision - b.revision);
  return unused.slice(0, Math.max(0, unused.length - limit));
}
