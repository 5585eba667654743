import { type ControllerRevision, controllerRevisions } from "../../api/apps/controller-revision/schema.ts";
import type { PodTemplateSpec } from "../../api/core/pod/spec.ts";
import type { Client } from "../../client/client.ts";
import type { KubeObject } from "../../meta/kind.ts";
import { hasReason } from "../../meta/status.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { ignoreGone } from "../ignore-gone.ts";
import { controllerRef } from "../ownership/controller-ref.ts";
import { planRevision, snapshotOf, surplusRevisions } from "./revisions.ts";

export interface KeptRevision {
  readonly revision: ControllerRevision;
  readonly collisions: number | undefined;
}

/** Makes the newest revision that of the owner's template, and returns it. Its hash is in `hashLabel`. @throws StatusError */
export async function keepRevision(
  client: Client,
  owner: KubeObject,
  template: PodTemplateSpec,
  present: readonly ControllerRevision[],
  collisions: number | undefined,
  hashLabel: string,
): Promise<KeptRevision> {
  const own = client.of(controllerRevisions, owner.metadata.namespace);
  const step = planRevision(owner, template, present, collisions);
  switch (step.type) {
    case "none":
      return { revision: step.revision, collisions };
    case "renumber": {
      const { apiVersion: _, kind: __, ...rest } = step.revision;
      return { revision: await own.update({ ...rest, revision: step.number }), collisions };
    }
    case "create": {
      const labels = { ...template.metadata.labels, [hashLabel]: step.hash };
      const metadata = { name: step.name, labels, ownerReferences: [controllerRef(owner)] };
      const data = snapshotOf(template);
      try {
        return { revision: await own.create({ metadata, data, revision: step.number }), collisions };
      } catch (error) {
        if (!hasReason(error, "AlreadyExists")) throw error;
        const found = await own.get(step.name);
        // The cache is behind: it is this very revision.
        if (deepEqual(found.data, data)) return { revision: found, collisions };
        return keepRevision(client, owner, template, present, (collisions ?? 0) + 1, hashLabel);
      }
    }
  }
}

/** Deletes the revisions beyond the limit that nothing uses. */
export async function dropRevisions(
  client: Client,
  present: readonly ControllerRevision[],
  isUsed: (name: string) => boolean,
  limit: number,
): Promise<void> {
  for (const { metadata } of surplusRevisions(present, isUsed, limit)) {
    await ignoreGone(client.of(controllerRevisions, metadata.namespace).delete(metadata.name ?? ""));
  }
}
