import { type Secret, secrets } from "../../api/core/secret/schema.ts";
import { type ServiceAccount, serviceAccounts } from "../../api/core/service-account/schema.ts";
import type { Client } from "../../client/client.ts";
import { hasReason } from "../../meta/status.ts";
import { controller, type Controller } from "../../operator/controller.ts";
import { ignoreGone } from "../ignore-gone.ts";
import { accountOf, plan, secretType, withoutSecrets, withToken } from "./plan.ts";

/** The only controller that acts as the controller manager: tokens of all accounts are beyond what an account may write. */
export const tokensController = "tokens-controller";

/** Signs a token for an account, bound to the Secret of this name. */
export type SignToken = (
  namespace: string,
  account: { readonly name: string; readonly uid: string },
  secretName: string,
) => Promise<string>;

export interface ServiceAccountTokenOptions {
  /** PEM. */
  readonly rootCertificate: string;
  readonly sign: SignToken;
}

/**
 * Fills Secrets of type `kubernetes.io/service-account-token`, and deletes them with their account (upstream
 * `serviceaccount/tokens_controller`). Keys are accounts: a Secret queues the account that its annotation
 * names.
 */
export function serviceAccountTokenController(options: ServiceAccountTokenOptions): Controller {
  const removed = new RemovedSecrets();
  return controller({
    name: tokensController,
    for: serviceAccounts,
    watches: [
      {
        kind: secrets,
        fieldSelector: `type=${secretType}`,
        map: keysOf,
        observe: ({ type, object }) => {
          if (type === "deleted") removed.add(object);
        },
      },
    ],
    workers: 5,
    async reconcile({ key, namespace, name, client, cache }) {
      let account = cache.get(serviceAccounts, namespace, name);
      const held = cache.list(secrets, { namespace }).filter((one) => accountOf(one) === name);
      // The cache may show a Secret before its account.
      if (account === undefined && held.length > 0) account = await live(client, namespace, name);
      for (const secret of held) await settle(secret, account, client, options);
      if (account !== undefined) await forget(account, removed.take(key), client);
      else removed.take(key);
    },
  });
}

function keysOf(secret: Secret): readonly string[] {
  const account = accountOf(secret);
  return account === undefined ? [] : [`${secret.metadata.namespace}/${account}`];
}

async function live(client: Client, namespace: string, name: string): Promise<ServiceAccount | undefined> {
  try {
    return await client.of(serviceAccounts, namespace).get(name);
  } catch (error) {
    if (hasReason(error, "NotFound")) return undefined;
    throw error;
  }
}

async function settle(
  secret: Secret,
  account: ServiceAccount | undefined,
  client: Client,
  { rootCertificate, sign }: ServiceAccountTokenOptions,
): Promise<void> {
  const { namespace = "", name = "", uid = "" } = secret.metadata;
  const step = plan(secret, account, rootCertificate);
  if (step.type === "none") return;
  const api = client.of(secrets, namespace);
  if (step.type === "delete") {
    await ignoreGone(api.delete(name, { preconditions: { uid } }), "Conflict");
    return;
  }
  const { name: accountName = "", uid: accountUid = "" } = account?.metadata ?? {};
  const filled = step.needsToken
    ? withToken(step.secret, await sign(namespace, { name: accountName, uid: accountUid }, name))
    : step.secret;
  // After a conflict, the Secret's next change queues its account again.
  await ignoreGone(api.update(filled), "Conflict");
}

async function forget(account: ServiceAccount, gone: ReadonlySet<string>, client: Client): Promise<void> {
  const next = withoutSecrets(account, gone);
  if (next === account) return;
  await ignoreGone(client.of(serviceAccounts, account.metadata.namespace).update(next), "Conflict");
}

/** The deleted Secrets that accounts may still reference, by the account's key. */
class RemovedSecrets {
  readonly #names = new Map<string, Set<string>>();

  add(secret: Secret): void {
    for (const key of keysOf(secret)) {
      const names = this.#names.get(key) ?? new Set();
      this.#names.set(key, names.add(secret.metadata.name ?? ""));
    }
  }

  take(key: string): ReadonlySet<string> {
    const names = this.#names.get(key);
    this.#names.delete(key);
    return names ?? new Set();
  }
}
