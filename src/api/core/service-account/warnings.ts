import type { ServiceAccount } from "./schema.ts";

const enforcing = "kubernetes.io/enforce-mountable-secrets";

export function serviceAccountWarnings(
  { metadata }: ServiceAccount,
  old: ServiceAccount | undefined,
): readonly string[] {
  const has = (annotations: Readonly<Record<string, string>> = {}) => annotations[enforcing] !== undefined;
  if (!has(metadata.annotations) || has(old?.metadata.annotations)) return [];
  const instead = "prefer separate namespaces to isolate access to mounted secrets";
  return [`metadata.annotations[${enforcing}]: deprecated in v1.32+; ${instead}`];
}
