/** The tokens of ServiceAccounts in Secrets, which do not expire (upstream `pkg/serviceaccount/legacy.go`). */

export const legacyTokenType = "kubernetes.io/service-account-token";

/** The labels with which unused tokens are found, invalidated and deleted (KEP-2799). Their values are dates. */
export const legacyTokenLabels = {
  lastUsed: "kubernetes.io/legacy-token-last-used",
  invalidSince: "kubernetes.io/legacy-token-invalid-since",
} as const;

/** The ConfigMap that says since when uses are recorded. */
export const legacyTokenTracking = {
  namespace: "kube-system",
  name: "kube-apiserver-legacy-service-account-token-tracking",
  key: "since",
} as const;

/** The day of a time in UTC: `2026-01-31`. */
export function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

export function isDate(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : NaN;
  return !Number.isNaN(time) && dateOf(time) === text;
}
