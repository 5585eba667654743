import type { Secret } from "../../api/core/secret/schema.ts";
import { dateOf, isDate, legacyTokenLabels, legacyTokenType } from "../../api/core/secret/legacy-token.ts";
import type { ServiceAccount } from "../../api/core/service-account/schema.ts";

const dayMs = 24 * 3_600_000;

export interface Observed {
  readonly secret: Secret;
  /** The ServiceAccount that the Secret names, with any UID. */
  readonly account: ServiceAccount | undefined;
  /** The names of the Secrets that Pods of the namespace reference. */
  readonly mounted: ReadonlySet<string>;
}

export interface Period {
  readonly now: number;
  /** The time without use after which a token is invalidated, and later deleted, in milliseconds. */
  readonly unusedMs: number;
}

/** Reports whether uses have been recorded for long enough. Recording starts during the day `since`. */
export function isTracked(since: string | undefined, { now, unusedMs }: Period): boolean {
  return since !== undefined && isDate(since) && now >= Date.parse(since) + dayMs + unusedMs;
}

/** Plans what happens to a Secret (upstream `serviceaccount/legacy_serviceaccount_token_cleaner.go`). */
export function planLegacyToken(
  { secret, account, mounted }: Observed,
  { now, unusedMs }: Period,
): "keep" | "invalidate" | "delete" {
  const { name = "", labels = {}, annotations = {}, creationTimestamp, deletionTimestamp } = secret.metadata;
  const lastDay = dateOf(now - unusedMs);
  const isOld = Date.parse(creationTimestamp ?? "") < now - unusedMs;
  if (secret.type !== legacyTokenType || !isOld || deletionTimestamp !== undefined) return "keep";
  const lastUsed = labels[legacyTokenLabels.lastUsed];
  // A token without the label was not used since uses are recorded.
  if (lastUsed !== undefined && (!isDate(lastUsed) || lastUsed >= lastDay)) return "keep";
  const uid = annotations["kubernetes.io/service-account.uid"] ?? "";
  const isOwn = account !== undefined && (uid === "" || uid === account.metadata.uid);
  // Only the account's list distinguishes generated Secrets from those of users.
  if (!isOwn || account.secrets?.every((one) => one.name !== name) !== false) return "keep";
  if (mounted.has(name)) return "keep";
  const invalidSince = labels[legacyTokenLabels.invalidSince] ?? "";
  if (!isDate(invalidSince)) return "invalidate";
  return invalidSince >= lastDay ? "keep" : "delete";
}
