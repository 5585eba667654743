import { draftOfObject } from "./resources/draft.ts";
import { dateOf, legacyTokenLabels } from "../api/core/secret/legacy-token.ts";
import { type Secret, secrets } from "../api/core/secret/schema.ts";
import { internalScope } from "./registry/scope.ts";
import { updateOf } from "./registry/write.ts";
import type { Services } from "./services.ts";

const dayMs = 24 * 3_600_000;

/**
 * Labels the Secret of a ServiceAccount's token with the day of its use, once a day. Never rejects: a request must not
 * fail because its use cannot be recorded.
 */
export async function recordTokenUse(services: Services, { metadata }: Secret): Promise<void> {
  const { namespace = "", name = "", uid, labels } = metadata;
  const now = services.env.clock.now();
  const today = dateOf(now);
  const lastUsed = labels?.[legacyTokenLabels.lastUsed];
  // Another server's clock may be ahead.
  if (lastUsed === today || lastUsed === dateOf(now + dayMs)) return;
  try {
    await updateOf(
      internalScope(services),
      secrets,
      { namespace, name, subresource: "" },
      (old) => {
        const draft = draftOfObject(old);
        if (old.metadata.uid !== uid) return draft;
        draft.metadata.labels = { ...draft.metadata.labels, [legacyTokenLabels.lastUsed]: today };
        return draft;
      },
      { dryRun: false, fieldManager: "kube-apiserver" },
    );
  } catch (error) {
    services.env.log.error("Cannot record the use of a ServiceAccount's token", { namespace, name, error });
  }
}
