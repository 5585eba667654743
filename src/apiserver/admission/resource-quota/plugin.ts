import { type ResourceQuota, resourceQuotas } from "../../../api/core/resource-quota/schema.ts";
import { evaluatorOf } from "../../../api/core/resource-quota/evaluators.ts";
import type { KubeObject } from "../../../meta/kind.ts";
import { errors } from "../../../meta/status.ts";
import type { Store } from "../../../store/store.ts";
import type { AdmissionServices } from "../admission-services.ts";
import type { AdmissionPlugin, Attributes } from "../plugin.ts";
import { type Charge, Ledger } from "./ledger.ts";
import { writeUsage } from "./quota-status.ts";
import { Turns } from "./turns.ts";

/** The number of attempts to reserve usage, of which each but the first follows a conflict. */
const attempts = 10;
/** The number of requests, each for one quota, that are decided before sockets get a turn. */
const chargesPerTurn = 2_000;
/** The number of amounts that are written before sockets get a turn. */
const amountsPerTurn = 1_000;

const quotaName = { group: resourceQuotas.group, resource: resourceQuotas.plural };

/** A request that waits for its decision. */
interface Waiter {
  readonly attributes: Attributes;
  readonly charge: Charge;
  readonly settle: PromiseWithResolvers<void>;
}

/**
 * Refuses objects beyond a namespace's quotas (plugin `resourcequota`). Usage is reserved in the status of the
 * quota before the object is stored. The controller corrects the reservation of a failed write later.
 *
 * One batch per namespace is under way at a time, so that concurrent requests share one write of each quota.
 */
export function resourceQuota(): AdmissionPlugin {
  /** The requests that wait for the batch under way, by namespace. */
  const waiting = new WeakMap<Store, Map<string, Waiter[]>>();
  return {
    name: "ResourceQuota",
    validate(attributes, services) {
      const charge = chargeOf(attributes);
      if (charge === undefined || !hasQuotas(services, attributes.namespace)) return undefined;
      const settle = Promise.withResolvers<void>();
      let queues = waiting.get(services.store);
      if (queues === undefined) waiting.set(services.store, (queues = new Map()));
      const waiter = { attributes, charge, settle };
      const queue = queues.get(attributes.namespace);
      if (queue === undefined) void run(queues, attributes.namespace, [waiter], services);
      else queue.push(waiter);
      return settle.promise;
    },
  };
}

/** Returns undefined for a request that cannot use more of a quota. */
function chargeOf({ operation, resource, subresource, object, old }: Attributes): Charge | undefined {
  const isWrite = operation === "CREATE" || operation === "UPDATE";
  if (!isWrite || !resource.kind.namespaced || object === undefined) return undefined;
  const evaluator = evaluatorOf(resource.kind);
  // Safe: the object has been validated.
  const charge = { subresource, object: object as KubeObject, old };
  return evaluator?.charges(charge) === true ? { ...charge, evaluator } : undefined;
}

function hasQuotas({ store, resources }: AdmissionServices, namespace: string): boolean {
  return store.list(resources.of(resourceQuotas).prefix(namespace), { limit: 1 }).entries.length > 0;
}

/** Settles batches until no request of the namespace waits. */
async function run(
  queues: Map<string, Waiter[]>,
  namespace: string,
  first: readonly Waiter[],
  services: AdmissionServices,
): Promise<void> {
  for (let batch = first; batch.length > 0;) {
    const next: Waiter[] = [];
    queues.set(namespace, next);
    try {
      await settleBatch(batch, namespace, services);
    } catch (error) {
      for (const { settle } of batch) settle.reject(error);
    }
    batch = next;
  }
  queues.delete(namespace);
}

/**
 * Decides about every request of a batch. After a conflict, the requests are charged again to the quotas that
 * could not be written.
 */
async function settleBatch(
  batch: readonly Waiter[],
  namespace: string,
  services: AdmissionServices,
): Promise<void> {
  let open = batch;
  let quotas = services.reader.list(resourceQuotas, namespace);
  for (let attempt = 1; ; attempt++) {
    const ledger = await Ledger.open(quotas, new Set(open.map(({ charge }) => charge.evaluator)));
    open = await chargeAll(open, ledger, services);
    const failed = await writeAll(ledger, services);
    const [conflict] = failed;
    if (conflict === undefined) break;
    if (attempt === attempts) throw errors.modified(quotaName, conflict.metadata.name ?? "");
    // The winning write may not be readable yet.
    await services.store.commit([]);
    const names = new Set(failed.map(({ metadata }) => metadata.name));
    quotas = services.reader
      .list(resourceQuotas, namespace)
      .filter(({ metadata }) => names.has(metadata.name));
  }
  for (const { settle } of open) settle.resolve();
}

/** Returns the requests whose usage must be written before they are accepted. */
async function chargeAll(
  waiters: readonly Waiter[],
  ledger: Ledger,
  { env }: AdmissionServices,
): Promise<readonly Waiter[]> {
  const open: Waiter[] = [];
  const turns = new Turns(chargesPerTurn);
  for (const waiter of waiters) {
    const { charge, attributes, settle } = waiter;
    await turns.after(ledger.limitsOf(charge.evaluator) + 1);
    const charged = ledger.charge(charge, env.clock.now());
    if (typeof charged === "string") {
      settle.reject(errors.forbidden(attributes.resource.name, attributes.name, charged));
    } else if (attributes.dryRun || charged.size === 0) settle.resolve();
    else {
      ledger.reserve(charged);
      open.push(waiter);
    }
  }
  return open;
}

/** Returns the quotas that another client has changed meanwhile. */
async function writeAll(ledger: Ledger, services: AdmissionServices): Promise<readonly ResourceQuota[]> {
  const turns = new Turns(amountsPerTurn);
  const writes: Promise<readonly ResourceQuota[]>[] = [];
  for (const account of ledger.changed()) {
    const write = writeUsage(account, services).then((isWritten) => (isWritten ? [] : [account.quota]));
    // A failure is handled below, and must not count as unhandled until then.
    write.catch(() => {});
    writes.push(write);
    await turns.after(account.hard.size + 10);
  }
  return (await Promise.all(writes)).flat();
}
