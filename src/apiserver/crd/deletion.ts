import { cleanupFinalizer } from "../../api/apiextensions/custom-resource-definition/strategy.ts";
import type { CustomResourceDefinition } from "../../api/apiextensions/custom-resource-definition/schema.ts";
import { hasReason } from "../../meta/status.ts";
import { sleep } from "../../util/clock.ts";
import { inSlices } from "../../util/yield.ts";
import { remove } from "../registry/remove.ts";
import { internalScope } from "../registry/scope.ts";
import type { ServedResource } from "../resources/served.ts";
import type { Services } from "../services.ts";
import { withCondition } from "../../meta/conditions.ts";
import { isTrue, type Wanted } from "./conditions.ts";
import { writeStatus } from "./write-status.ts";
import { errorText } from "../../util/error-text.ts";

type Definition = CustomResourceDefinition;

const retryMs = 5000;
/** The time after which a definition's status reports objects that are not deleted. */
const patienceMs = 60_000;
/** The number of concurrent deletions in the store. */
const deletionsAtOnce = 64;

/**
 * Deletes the objects of a terminating definition, and then the definition (`controller/finalizer`). Never
 * rejects: a failure is reported in the definition's status and retried, until the signal fires.
 *
 * @param storageOf the version that objects are stored in; undefined when none was ever served
 */
export async function finishDeletion(
  services: Services,
  name: string,
  storageOf: () => ServedResource | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { log, clock } = services.env;
  while (!signal.aborted) {
    try {
      const definition = await say(services, name, inProgress);
      const outcome = await removeObjects(services, definition, storageOf(), signal);
      if (signal.aborted) return;
      await say(services, name, outcome, outcome.status === "False");
      if (outcome.status === "False") return;
    } catch (error) {
      if (hasReason(error, "NotFound")) return;
      log.error("a CustomResourceDefinition could not be deleted", { name, error: String(error) });
    }
    await sleep(clock, retryMs, signal);
  }
}

const type = "Terminating";
const condition = (status: "True" | "False", reason: string, message: string): Wanted => ({
  type,
  status,
  reason,
  message,
});

const inProgress = condition("True", "InstanceDeletionInProgress", "CustomResource deletion is in progress");

/** Writes the condition; with `last` it removes the finalizer, and so deletes the definition. */
function say(services: Services, name: string, wanted: Wanted, last = false): Promise<Definition> {
  return writeStatus(services, name, ({ metadata, status }) => {
    const conditions = withCondition(status.conditions, wanted, services.env.clock.now());
    const { finalizers = [] } = metadata;
    return {
      status: { ...status, conditions },
      finalizers: last ? finalizers.filter((one) => one !== cleanupFinalizer) : finalizers,
    };
  });
}

async function removeObjects(
  services: Services,
  definition: Definition,
  storage: ServedResource | undefined,
  signal: AbortSignal,
): Promise<Wanted> {
  if (storage === undefined || !isTrue(definition, "Established")) {
    return condition("False", "NeverEstablished", "resource was never established");
  }
  if (services.resources.isBuiltIn(storage)) {
    const why = "instances overlap with built-in resources in storage";
    return condition("False", "OverlappingBuiltInResource", why);
  }
  try {
    await removeAll(services, storage);
  } catch (error) {
    const why = `could not issue all deletes: ${errorText(error)}`;
    return condition("True", "InstanceDeletionFailed", why);
  }
  return (await untilGone(services, storage, signal))
    ? condition("False", "InstanceDeletionCompleted", "removed all instances")
    : condition(
        "True",
        "InstanceDeletionCheck",
        "could not confirm zero CustomResources remaining: context deadline exceeded",
      );
}

async function removeAll(services: Services, resource: ServedResource): Promise<void> {
  const scope = internalScope(services);
  const { entries } = services.store.list(resource.prefix(""));
  const options = { preconditions: {}, dryRun: false };
  await inSlices(entries, deletionsAtOnce, async (entry) => {
    const { namespace = "", name = "" } = services.codec.decode(entry).metadata;
    try {
      await remove(scope, { resource, namespace, name, subresource: "" }, options);
    } catch (error) {
      if (!hasReason(error, "NotFound")) throw error;
    }
  });
}

/** Resolves to false when some objects remain, because finalizers keep them. */
async function untilGone(
  { store, hub, env }: Services,
  resource: ServedResource,
  signal: AbortSignal,
): Promise<boolean> {
  const prefix = resource.prefix("");
  const changes = hub.feed(resource.storageName).subscribe({ namespace: "", name: "" }, store.revision);
  const stop = () => changes.close();
  const timer = env.clock.after(patienceMs, stop);
  signal.addEventListener("abort", stop, { once: true });
  try {
    while (store.list(prefix, { limit: 1 }).entries.length > 0) {
      if (!changes.open) return false;
      await changes.next();
    }
    return true;
  } finally {
    timer.cancel();
    signal.removeEventListener("abort", stop);
    changes.close();
  }
}
