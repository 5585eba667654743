import { addAmounts, growth, parseAmounts, pick } from "../../../api/core/resource-quota/amounts.ts";
import { type Evaluator, isInScopes, type QuotaWrite } from "../../../api/core/resource-quota/evaluator.ts";
import type { ResourceQuota } from "../../../api/core/resource-quota/schema.ts";
import type { Amounts } from "../../../api/core/pod/resources.ts";
import type { KubeObject } from "../../../meta/kind.ts";
import { formatQuantity } from "../../../meta/quantity.ts";
import { Turns } from "./turns.ts";

/** The number of amounts that are processed before sockets get a turn. */
const amountsPerTurn = 2_000;

/** A quota with the usage that the requests of a batch have reserved so far. */
export class Account {
  readonly quota: ResourceQuota;
  readonly hard: Amounts;
  readonly used: Amounts;
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

/** A quota that limits a kind. */
interface Limit {
  readonly account: Account;
  /** The limited resources that the kind uses. */
  readonly resources: ReadonlySet<string>;
  /** The reason to refuse every object while the usage of a resource is unknown. */
  readonly unknown: string | undefined;
}

/** A write to be charged, with the rules of its kind. */
export interface Charge extends QuotaWrite<KubeObject> {
  readonly evaluator: Evaluator;
}

/** The result of a charge: the reason of a refusal, or the amounts to add to the usage of quotas. */
export type Charged = string | ReadonlyMap<Account, Amounts>;

/** The quotas of a namespace while a batch of requests is charged (apiserver `resourcequota.CheckRequest`). */
export class Ledger {
  readonly #accounts: readonly Account[];
  readonly #limits: ReadonlyMap<Evaluator, readonly Limit[]>;

  private constructor(accounts: readonly Account[], limits: ReadonlyMap<Evaluator, readonly Limit[]>) {
    this.#accounts = accounts;
    this.#limits = limits;
  }

  /** Opens the accounts of the quotas that limit kinds with these rules. */
  static async open(quotas: readonly ResourceQuota[], evaluators: ReadonlySet<Evaluator>): Promise<Ledger> {
    const accounts: Account[] = [];
    const limits = new Map([...evaluators].map((one) => [one, new Array<Limit>()]));
    const turns = new Turns(amountsPerTurn);
    for (const quota of quotas) {
      const names = Object.keys(quota.status.hard ?? {});
      let account: Account | undefined;
      for (const [evaluator, found] of limits) {
        const resources = names.filter((name) => evaluator.uses(name));
        if (resources.length === 0) continue;
        if (account === undefined) accounts.push((account = new Account(quota)));
        found.push({ account, resources: new Set(resources), unknown: unknownUsage(account, resources) });
      }
      await turns.after(names.length + 1);
    }
    return new Ledger(accounts, limits);
  }

  /** The quotas whose usage changed. */
  changed(): readonly Account[] {
    return this.#accounts.filter(({ isChanged }) => isChanged);
  }

  /** Returns the number of quotas that limit the kind. */
  limitsOf(evaluator: Evaluator): number {
    return this.#limits.get(evaluator)?.length ?? 0;
  }

  /** Decides about a write. Reserves nothing. */
  charge(charge: Charge, now: number): Charged {
    const { evaluator, object, old } = charge;
    const limits = (this.#limits.get(evaluator) ?? []).filter(({ account }) =>
      isInScopes(evaluator, account.quota.spec, object),
    );
    for (const limit of limits) {
      const missing = evaluator.missing(object, limit.resources);
      if (missing !== undefined) return `failed quota: ${limit.account.name}: ${missing}`;
      if (limit.unknown !== undefined) return limit.unknown;
    }
    const charged = new Map<Account, Amounts>();
    if (limits.length === 0) return charged;
    const usage = growth(evaluator.usage(object, now), new Map());
    const raise = old === undefined ? usage : growth(usage, evaluator.usage(old, now));
    for (const { account } of limits) {
      const wasCharged = old !== undefined && isInScopes(evaluator, account.quota.spec, old);
      const requested = pick(wasCharged ? raise : usage, account.hard);
      if (requested.size === 0) continue;
      // A status reports usage that exists already.
      const refusal = charge.subresource === "status" ? undefined : exceeded(account, requested);
      if (refusal !== undefined) return refusal;
      charged.set(account, requested);
    }
    return charged;
  }

  /** Reserves the usage of an accepted write. */
  reserve(charged: ReadonlyMap<Account, Amounts>): void {
    for (const [account, requested] of charged) {
      addAmounts(account.used, requested);
      account.isChanged = true;
    }
  }
}

function unknownUsage({ name, used }: Account, resources: readonly string[]): string | undefined {
  if (resources.every((one) => used.has(one))) return undefined;
  return `status unknown for quota: ${name}, resources: ${resources.toSorted().join(",")}`;
}

function exceeded({ name, hard, used }: Account, requested: Amounts): string | undefined {
  const nanos = (amounts: Amounts, resource: string) => amounts.get(resource)?.nanos ?? 0n;
  const over = [...requested].filter(
    ([resource, amount]) => nanos(used, resource) + amount.nanos > nanos(hard, resource),
  );
  if (over.length === 0) return undefined;
  const names = over.map(([resource]) => resource).toSorted();
  const text = (amounts: Amounts) =>
    names
      .flatMap((resource) => {
        const amount = amounts.get(resource);
        return amount === undefined ? [] : [`${resource}=${formatQuantity(amount)}`];
      })
      .join(",");
  return `exceeded quota: ${name}, requested: ${text(requested)}, used: ${text(used)}, limited: ${text(hard)}`;
}
