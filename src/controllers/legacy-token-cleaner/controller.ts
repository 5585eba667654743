import { configMaps } from "../../api/core/config-map/schema.ts";
import { secretNames } from "../../api/core/pod/references.ts";
import { pods } from "../../api/core/pod/schema.ts";
import {
  dateOf,
  legacyTokenLabels,
  legacyTokenTracking,
  legacyTokenType,
} from "../../api/core/secret/legacy-token.ts";
import { type Secret, secrets } from "../../api/core/secret/schema.ts";
import { serviceAccounts } from "../../api/core/service-account/schema.ts";
import { controller, type Controller, type Reconcile } from "../../operator/controller.ts";
import { sleep } from "../../util/clock.ts";
import { ignoreGone } from "../ignore-gone.ts";
import { isTracked, type Period, planLegacyToken } from "./plan.ts";

const sweepEveryMs = 24 * 3_600_000;
/** The default of `--legacy-service-account-token-clean-up-period`: a year. */
const defaultUnusedMs = 365 * 24 * 3_600_000;

type Sweep = Pick<Reconcile, "client" | "cache" | "env" | "signal">;

/**
 * Invalidates the generated tokens of ServiceAccounts that nobody used for a period, and deletes them a period later. Looks
 * once a day.
 */
export function legacyTokenCleaner(unusedMs = defaultUnusedMs): Controller {
  return controller({
    name: "legacy-service-account-token-cleaner",
    for: secrets,
    fieldSelector: `type=${legacyTokenType}`,
    reads: [serviceAccounts, pods],
    async run(context) {
      const { env, signal } = context;
      while (!signal.aborted) {
        await sweep(context, unusedMs).catch((error: unknown) => {
          if (!signal.aborted) env.log.error("Cannot clean up tokens of ServiceAccounts", { error });
        });
        await sleep(env.clock, sweepEveryMs, signal);
      }
    },
    reconcile: () => Promise.resolve(),
  });
}

async function sweep({ client, cache, env, signal }: Sweep, unusedMs: number): Promise<void> {
  const period = { now: env.clock.now(), unusedMs };
  const tracking = await client.of(configMaps, legacyTokenTracking.namespace).get(legacyTokenTracking.name);
  if (!isTracked(tracking.data?.[legacyTokenTracking.key], period)) return;
  const mounted = new Map<string, ReadonlySet<string>>();
  const mountedIn = (namespace: string) => {
    const known = mounted.get(namespace);
    if (known !== undefined) return known;
    const all = cache.list(pods, { namespace }).flatMap(({ spec }) => [...secretNames(spec)]);
    const names = new Set(all);
    mounted.set(namespace, names);
    return names;
  };
  for (const secret of cache.list(secrets)) {
    if (signal.aborted) return;
    const { namespace = "", annotations } = secret.metadata;
    const accountName = annotations?.["kubernetes.io/service-account.name"] ?? "";
    const account = cache.get(serviceAccounts, namespace, accountName);
    const action = planLegacyToken({ secret, account, mounted: mountedIn(namespace) }, period);
    await carryOut(action, secret, period, client).catch((error: unknown) =>
      env.log.error("Cannot clean up a token", { namespace, secret: secret.metadata.name, error }),
    );
  }
}

async function carryOut(
  action: ReturnType<typeof planLegacyToken>,
  { metadata }: Secret,
  { now }: Period,
  client: Sweep["client"],
): Promise<void> {
  const { namespace = "", name = "", uid, resourceVersion = "" } = metadata;
  const own = client.of(secrets, namespace);
  if (action === "invalidate") {
    const labels = { [legacyTokenLabels.invalidSince]: dateOf(now) };
    await own.patch(name, { metadata: { uid, labels } }, { type: "merge" });
  } else if (action === "delete") {
    // A conflict means that the token may have been used since.
    await ignoreGone(own.delete(name, { preconditions: { resourceVersion } }), "Conflict");
  }
}
