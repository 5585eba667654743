import { type Binding, bindings } from "../../api/core/binding/schema.ts";
import { type Pod, pods } from "../../api/core/pod/schema.ts";
import { validateBinding } from "../../api/core/binding/validation.ts";
import type { ApiResponse } from "../../meta/exchange.ts";
import { describe } from "../../meta/field-error.ts";
import { errors, failure } from "../../meta/status.ts";
import { formatTime } from "../../util/clock.ts";
import type { Context } from "../context.ts";
import { decodeBody, readBody } from "../rest/body.ts";
import { type DraftObject, draftOfObject } from "../resources/draft.ts";
import { dryRun, fieldManager } from "../rest/options.ts";
import { parseRevision } from "../rest/list-options.ts";
import { respondStatus } from "../rest/respond.ts";
import type { Target } from "../resources/target.ts";
import { updateOf } from "../registry/write.ts";

/**
 * Assigns a Pod to a node, once (registry `core/pod/storage` assignPod).
 *
 * A resourceVersion in the target is the last revision of Pods that the decision has seen: the binding is a conflict on
 * the node if another field manager has bound a Pod since that the decision depends on (`placements.ts`). Upstream
 * ignores the field.
 */
export async function bind(context: Context, target: Target): Promise<ApiResponse> {
  const body = await readBody(context, bindings);
  const binding = decodeBody(bindings, body, context);
  const { name = "" } = binding.metadata;
  if (target.name !== "" && name !== target.name)
    throw errors.badRequest("name in URL does not match name in Binding object");
  const issues = [...validateBinding(binding)];
  // As upstream: not as an invalid object.
  if (issues.length > 0) throw failure(500, "", issues.map(describe).join(", "));
  const { resourceVersion } = binding.target;
  const options = { dryRun: dryRun(context), fieldManager: fieldManager(context) };
  const seen = resourceVersion === undefined ? undefined : parseRevision(resourceVersion);
  const placing = context.services.placements.begin(options.fieldManager, seen);
  let revision = 0;
  try {
    const { object } = await updateOf(
      context,
      pods,
      { namespace: target.namespace, name, subresource: "binding" },
      (old) => {
        const draft = assign(old, binding, context.services.env.clock.now());
        placing.claim(old, binding.target.name ?? "");
        return draft;
      },
      // As upstream: the Pod's node has no owner.
      { ...options, ownsFields: true },
    );
    if (!options.dryRun) revision = Number(object.metadata.resourceVersion);
  } finally {
    placing.end(revision);
  }
  return respondStatus({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 });
}

function assign(pod: Pod, { target, metadata }: Binding, now: number): DraftObject {
  const name = pod.metadata.name ?? "";
  const refuse = (why: string) => errors.conflict({ group: "", resource: "pods/binding" }, name, why);
  if (metadata.uid !== undefined && metadata.uid !== pod.metadata.uid) {
    throw errors.conflict(
      { group: "", resource: "pods" },
      name,
      `Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${pod.metadata.uid}`,
    );
  }
  if (pod.metadata.deletionTimestamp !== undefined)
    throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  if (pod.spec.nodeName !== undefined) {
    throw refuse(`pod ${name} is already assigned to node ${JSON.stringify(pod.spec.nodeName)}`);
  }
  if ((pod.spec.schedulingGates ?? []).length > 0) {
    throw refuse(`pod ${name} has non-empty .spec.schedulingGates`);
  }
  const draft = draftOfObject(pod);
  draft.spec.nodeName = target.name ?? "";
  // The nomination is obsolete once the node is assigned.
  delete draft.status.nominatedNodeName;
  for (const field of ["annotations", "labels"] as const) {
    const merged = { ...draft.metadata[field], ...metadata[field] };
    if (Object.keys(merged).length > 0) draft.metadata[field] = merged;
  }
  const conditions = (draft.status.conditions ?? []).filter(({ type }) => type !== "PodScheduled");
  conditions.push({ type: "PodScheduled", status: "True", lastTransitionTime: formatTime(now) });
  draft.status.conditions = conditions;
  return draft;
}
