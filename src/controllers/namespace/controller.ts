import { type Namespace, namespaces } from "../../api/core/namespace/schema.ts";
import { pods } from "../../api/core/pod/schema.ts";
import type { Client } from "../../client/client.ts";
import type { DiscoveredResource } from "../../client/discovery.ts";
import { hasReason } from "../../meta/status.ts";
import { controller, type Controller } from "../../operator/controller.ts";
import type { Clock } from "../../util/clock.ts";
import { ignoreGone } from "../ignore-gone.ts";
import {
  type Attempt,
  conditionsAfter,
  deletionOrder,
  errorsOf,
  finalizer,
  graceSeconds,
  judge,
  type Remains,
  retryMs,
  settleMs,
} from "./plan.ts";
import { errorText } from "../../util/error-text.ts";

/** Deletes the contents of terminating namespaces, then finalizes them (upstream `namespace/deletion`). */
export function namespaceController(): Controller {
  return controller({
    name: "namespace-controller",
    for: namespaces,
    watches: [
      // The deletion continues when the last Pod is gone.
      {
        kind: pods,
        map: ({ metadata }) => [metadata.namespace ?? ""],
        filter: ({ type }) => type === "deleted",
      },
    ],
    workers: 10,
    async reconcile({ name, cache, client, env: { clock } }) {
      const namespace = cache.get(namespaces, undefined, name);
      if (namespace === undefined || !isDue(namespace)) return {};
      const left = deletedAt(namespace) + settleMs - clock.now();
      if (left > 0) return { requeueAfterMs: left };
      const attempt = await empty(namespace, client, clock);
      const written = await writeConditions(namespace, attempt, client, clock);
      const errors = errorsOf(attempt);
      if (errors.length > 0) throw new NamespaceContentError(errors.join(", "));
      const retry = retryMs(attempt);
      if (retry === undefined) await finalize(written, client);
      return { requeueAfterMs: retry };
    },
  });
}

/** Some content could not be deleted, or is not known to be; the caller retries. */
export class NamespaceContentError extends Error {
  override readonly name = "NamespaceContentError";
}

function isDue({ metadata, spec }: Namespace): boolean {
  return metadata.deletionTimestamp !== undefined && (spec.finalizers ?? []).includes(finalizer);
}

function deletedAt({ metadata }: Namespace): number {
  return Date.parse(metadata.deletionTimestamp ?? "") || 0;
}

async function empty(namespace: Namespace, client: Client, clock: Clock): Promise<Attempt> {
  const discovery = await client.discovery();
  const remains: Remains[] = [];
  for (const stage of deletionOrder(discovery.preferred())) {
    remains.push(...(await Promise.all(stage.map((one) => emptyResource(one, namespace, client, clock)))));
    if (remains.some(({ count, error }) => count > 0 || error !== undefined)) break;
  }
  return { undiscovered: discovery.failed, remains };
}

async function emptyResource(
  resource: DiscoveredResource,
  namespace: Namespace,
  client: Client,
  clock: Clock,
): Promise<Remains> {
  const { name = "" } = namespace.metadata;
  const objects = client.resource(resource, name);
  const isPods = resource.group === "" && resource.plural === "pods";
  try {
    const running = isPods ? (await client.of(pods, name).list()).items : [];
    const grace = graceSeconds(running, deletedAt(namespace), clock.now());
    const hadObjects = resource.verbs.includes("deletecollection")
      ? await deletePages(objects)
      : await deleteEach(objects);
    return judge(resource, hadObjects ? (await objects.list()).items : [], grace, name);
  } catch (error) {
    // The kind is no longer served, or does not support the verb.
    if (hasReason(error, "NotFound", "MethodNotAllowed")) return judge(resource, [], 0, name);
    const why = errorText(error);
    return { resource, count: 0, finalizers: new Map(), estimateSeconds: 0, error: why };
  }
}

type Objects = ReturnType<Client["resource"]>;

/**
 * Dependents are deleted even where the request asked to orphan them: a namespace's contents never outlive
 * it.
 */
const options = { propagationPolicy: "Background" } as const;
/** Bounds the objects that the server reads and returns at a time: a namespace may hold 100,000 Events. */
const pageSize = 1000;

/** Deletes page by page. Returns true if any object existed. */
async function deletePages(objects: Objects): Promise<boolean> {
  let next: string | undefined;
  let count = 0;
  do {
    const { items, metadata } = await objects.deleteCollection({
      ...options,
      limit: pageSize,
      ...(next === undefined ? {} : { continue: next }),
    });
    count += items.length;
    next = metadata.continue;
  } while (next !== undefined && next !== "");
  return count > 0;
}

async function deleteEach(objects: Objects): Promise<boolean> {
  const { items } = await objects.list();
  for (const { metadata } of items) await ignoreGone(objects.delete(metadata.name ?? "", options));
  return items.length > 0;
}

async function writeConditions(
  namespace: Namespace,
  attempt: Attempt,
  client: Client,
  clock: Clock,
): Promise<Namespace> {
  const conditions = conditionsAfter(attempt, namespace, clock.now());
  if (conditions === namespace.status.conditions) return namespace;
  return client.of(namespaces).updateStatus({ ...namespace, status: { ...namespace.status, conditions } });
}

async function finalize(namespace: Namespace, client: Client): Promise<void> {
  const { metadata, spec } = namespace;
  const finalizers = (spec.finalizers ?? []).filter((one) => one !== finalizer);
  await ignoreGone(
    client
      .of(namespaces)
      .subresource(metadata.name ?? "", "finalize")
      .update({ ...namespace, spec: { ...spec, finalizers } }),
  );
}
