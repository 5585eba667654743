import {
  addAmounts,
  formatAmounts,
  growth,
  parseAmounts,
  pick,
} from "../../../api/core/resource-quota/amounts.ts";
import { type Evaluator, isInScopes, type QuotaWrite } from "../../../api/core/resource-quota/evaluator.ts";
import type { ResourceQuota } from "../../../api/core/resource-quota/schema.ts";
import type { Amounts } from "../../../api/core/pod/resources.ts";
import type { KubeObject } from "../../../meta/kind.ts";

/** A quota with the usage that the requests of a batch have reserved so far. */
export class Account {
  readonly quota: ResourceQuota;
  readonly hard: Amounts;
  used: Amounts;
  isChanged = false;

  constructor(quota: ResourceQuota) {
    this.quota = quota;
    this.hard = parseAmounts(quota.status.hard);
    this.used = parseAmounts(quota.status.used);
  }

  get name(): string {
    return this.quota.metadata.name ?? "";
  }
}

/** A write to be charged, with the rules of its kind. */
export interface Charge extends QuotaWrite<KubeObject> {
  readonly evaluator: Evaluator;
}

/** The result of a charge: the reason of a refusal, or the usage of each quota that the write changes. */
export type Charged = string | ReadonlyMap<Account, Amounts>;

/** The limited resources of a quota that a kind uses, by its rules. Both are immutable. */
const resourcesUsed = new WeakMap<ResourceQuota, Map<Evaluator, readonly string[]>>();

function resourcesOf(quota: ResourceQuota, evaluator: Evaluator): readonly string[] {
  let known = resourcesUsed.get(quota);
  if (known === undefined) resourcesUsed.set(quota, (known = new Map()));
  let names = known.get(evaluator);
  if (names === undefined) {
    names = Object.keys(quota.status.hard ?? {}).filter((name) => evaluator.uses(name));
    known.set(evaluator, names);
  }
  return names;
}

/** The quotas of a namespace while a batch of requests is charged (apiserver `resourcequota.CheckRequest`). */
export class Ledger {
  readonly #quotas: readonly ResourceQuota[];
  readonly #accounts = new Map<ResourceQuota, Account>();
  readonly #using = new Map<Evaluator, readonly Account[]>();

  constructor(quotas: readonly ResourceQuota[]) {
    this.#quotas = quotas;
  }

  /** The quotas whose usage changed. */
  changed(): readonly Account[] {
    return [...this.#accounts.values()].filter(({ isChanged }) => isChanged);
  }

  /** Decides about a write. Reserves nothing. */
  charge(charge: Charge, now: number): Charged {
    const { evaluator, object, old } = charge;
    const accounts = this.#limiting(evaluator, object);
    for (const account of accounts) {
      const refusal = refusalBefore(account, charge);
      if (refusal !== undefined) return refusal;
    }
    const charged = new Map<Account, Amounts>();
    if (accounts.length === 0) return charged;
    const usage = evaluator.usage(object, now);
    const raise = old === undefined ? usage : growth(usage, evaluator.usage(old, now));
    for (const account of accounts) {
      const wasCharged = old !== undefined && isInScopes(evaluator, account.quota.spec, old);
      const requested = growth(pick(wasCharged ? raise : usage, account.hard), new Map());
      if (requested.size === 0) continue;
      const used = new Map(account.used);
      addAmounts(used, requested);
      // A status reports usage that exists already.
      const refusal = charge.subresource === "status" ? undefined : exceeded(account, requested, used);
      if (refusal !== undefined) return refusal;
      charged.set(account, used);
    }
    return charged;
  }

  /** Reserves the usage of an accepted write. */
  reserve(charged: ReadonlyMap<Account, Amounts>): void {
    for (const [account, used] of charged) {
      account.used = used;
      account.isChanged = true;
    }
  }

  /** The quotas that limit the object. */
  #limiting(evaluator: Evaluator, object: KubeObject): readonly Account[] {
    let accounts = this.#using.get(evaluator);
    if (accounts === undefined) {
      const quotas = this.#quotas.filter((quota) => resourcesOf(quota, evaluator).length > 0);
      accounts = quotas.map((quota) => this.#account(quota));
      this.#using.set(evaluator, accounts);
    }
    return accounts.filter(({ quota }) => isInScopes(evaluator, quota.spec, object));
  }

  #account(quota: ResourceQuota): Account {
    let account = this.#accounts.get(quota);
    if (account === undefined) this.#accounts.set(quota, (account = new Account(quota)));
    return account;
  }
}

/** The reason to refuse an object that lacks amounts, or whose quota has no known usage yet. */
function refusalBefore({ quota, used, name }: Account, { evaluator, object }: Charge): string | undefined {
  const resources = resourcesOf(quota, evaluator);
  const missing = evaluator.missing(object, resources);
  if (missing !== undefined) return `failed quota: ${name}: ${missing}`;
  if (resources.every((one) => used.has(one))) return undefined;
  return `status unknown for quota: ${name}, resources: ${resources.toSorted().join(",")}`;
}

function exceeded({ name, hard, used }: Account, requested: Amounts, next: Amounts): string | undefined {
  const over = new Set(
    [...requested.keys()].filter((one) => (next.get(one)?.nanos ?? 0n) > (hard.get(one)?.nanos ?? 0n)),
  );
  if (over.size === 0) return undefined;
  const text = (amounts: Amounts) =>
    Object.entries(formatAmounts(pick(amounts, over)))
      .map(([resource, amount]) => `${resource}=${amount}`)
      .join(",");
  return `exceeded quota: ${name}, requested: ${text(requested)}, used: ${text(used)}, limited: ${text(hard)}`;
}
