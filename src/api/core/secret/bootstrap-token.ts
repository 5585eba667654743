import type { Secret } from "./schema.ts";

/** Bootstrap tokens: credentials with which new nodes join (upstream `cluster-bootstrap`). */

export const bootstrapTokenType = "bootstrap.kubernetes.io/token";
/** The namespace whose Secrets count. */
export const bootstrapTokenNamespace = "kube-system";

const namePrefix = "bootstrap-token-";

/** The name of the Secret of a token's public part. */
export function bootstrapSecretName(id: string): string {
  return namePrefix + id;
}

/** The text of a key; empty when it is missing. */
export function textOf({ data }: Secret, key: string): string {
  return Buffer.from(data?.[key] ?? "", "base64").toString("utf8");
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * The time at which a token expires, in milliseconds since 1970; undefined for a token that does not expire. A time that
 * cannot be read is long past.
 */
export function expiryOf(secret: Secret): number | undefined {
  const text = textOf(secret, "expiration");
  if (text === "") return undefined;
  const time = rfc3339.test(text) ? Date.parse(text.replace(",", ".")) : NaN;
  return Number.isNaN(time) ? -Infinity : time;
}

export function isExpired(secret: Secret, now: number): boolean {
  return (expiryOf(secret) ?? Infinity) <= now;
}

const group = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

/** The groups of a token's bearer, sorted; undefined when one is invalid. */
export function bootstrapGroups(secret: Secret): readonly string[] | undefined {
  const text = textOf(secret, "auth-extra-groups");
  const extra = text === "" ? [] : text.split(",");
  if (!extra.every((one) => group.test(one))) return undefined;
  return [...new Set(["system:bootstrappers", ...extra])].toSorted((a, b) => (a < b ? -1 : 1));
}
