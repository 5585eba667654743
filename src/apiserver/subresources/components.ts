import { componentStatuses, type ComponentStatus } from "../../api/core/component-status/schema.ts";
import type { ApiResponse } from "../../meta/exchange.ts";
import { errors } from "../../meta/status.ts";
import type { Context } from "../context.ts";
import type { Services } from "../services.ts";
import { parseSelection, selects } from "../registry/selection.ts";
import type { Target } from "../resources/target.ts";
import { respondList, respondObject } from "../rest/respond.ts";
import { errorText } from "../../util/error-text.ts";
import { by } from "../../util/compare.ts";

/** The name that tools know the store by. */
const storeName = "etcd-0";

/**
 * Answers with a component's health, which is not stored: each read checks it
 * (`pkg/registry/core/componentstatus`).
 */
export async function getComponent(context: Context, { resource, name }: Target): Promise<ApiResponse> {
  const found = (await statuses(context.services)).find(({ metadata }) => metadata.name === name);
  // As upstream: with another name than the resource's.
  if (found === undefined) throw errors.notFound({ group: "", resource: "componentstatus" }, name);
  return respondObject(context, resource, { object: found, encoded: undefined });
}

export async function listComponents(
  context: Context,
  { resource, namespace }: Target,
): Promise<ApiResponse> {
  const selection = parseSelection(resource, namespace, context.request.query);
  const items = (await statuses(context.services))
    .filter((status) => selects(selection, status))
    .map((object) => ({ object, encoded: undefined }));
  const listing = { items, revision: undefined, continue: undefined, remaining: undefined };
  return respondList(context, resource, listing);
}

async function statuses({ components, store }: Services): Promise<ComponentStatus[]> {
  const storeProblem = await store.probe().then(
    () => undefined,
    (error: unknown) => ({ error: errorText(error) }),
  );
  const others = [...components()].map(([name, problem]) =>
    statusOf(name, problem === undefined ? undefined : { message: errorText(problem) }),
  );
  return [...others, statusOf(storeName, storeProblem)].toSorted(by(({ metadata }) => metadata.name ?? ""));
}

function statusOf(
  name: string,
  problem: { readonly message: string } | { readonly error: string } | undefined,
): ComponentStatus {
  const { apiVersion, kind } = componentStatuses;
  const condition =
    problem === undefined
      ? { type: "Healthy", status: "True", message: "ok" }
      : { type: "Healthy", status: "False", ...problem };
  return { apiVersion, kind, metadata: { name }, conditions: [condition] };
}
