import { configMaps } from "../api/core/config-map/schema.ts";
import { dateOf, isDate, legacyTokenTracking } from "../api/core/secret/legacy-token.ts";
import type { Client } from "../client/client.ts";
import { hasReason } from "../meta/status.ts";

export interface Authentication {
  /** The authority of clients' certificates, in PEM. */
  readonly clientCa: string;
  readonly now: number;
}

type Data = Readonly<Record<string, string>>;

/**
 * Publishes how the API server authenticates: the authority with which extension API servers verify clients
 * (upstream `clusterauthenticationtrust`), and the day since which uses of tokens in Secrets are recorded (upstream
 * `legacytokentracking`). Idempotent; runs at each start.
 */
export async function publishAuthentication(
  client: Client,
  { clientCa, now }: Authentication,
): Promise<void> {
  const { name, key } = legacyTokenTracking;
  await Promise.all([
    publish(client, "extension-apiserver-authentication", (old) => {
      const known = old["client-ca-file"] ?? "";
      // Other API servers of the cluster may have an authority of their own.
      return known.includes(clientCa.trim()) ? old : { ...old, "client-ca-file": known + clientCa };
    }),
    publish(client, name, (old) => (isDate(old[key] ?? "") ? old : { ...old, [key]: dateOf(now) })),
  ]);
}

async function publish(client: Client, name: string, change: (old: Data) => Data): Promise<void> {
  const all = client.of(configMaps, "kube-system");
  const present = await all.get(name).catch((error: unknown) => {
    if (hasReason(error, "NotFound")) return undefined;
    throw error;
  });
  const old = present?.data ?? {};
  const data = change(old);
  if (present === undefined) await all.create({ metadata: { name }, data });
  else if (data !== old) await all.update({ ...present, data });
}
