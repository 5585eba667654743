import { type Deployment, deployments } from "../../api/apps/deployment/schema.ts";
import { type ReplicaSet, replicaSets } from "../../api/apps/replica-set/schema.ts";
import { type Pod, pods } from "../../api/core/pod/schema.ts";
import { byOwner } from "../../client/indexer.ts";
import { selectorOf } from "../../meta/labels.ts";
import { hasReason } from "../../meta/status.ts";
import type { Cache } from "../../operator/cache.ts";
import { controller, type Controller, controllerOf, type Reconcile } from "../../operator/controller.ts";
import { ignoreGone } from "../ignore-gone.ts";
import { claim, planClaims } from "../ownership/claim.ts";
import { controllerRefOf, isControlledBy } from "../ownership/controller-ref.ts";
import { bySelector, candidates, dependents } from "../ownership/dependents.ts";
import { isNamespaceEnding } from "../pods/pod-control.ts";
import { condition, progressDeadlineMs, progressReasons, withDeploymentCondition } from "./conditions.ts";
import { type Action, planDeployment } from "./plan.ts";
import { sizeOf } from "./replica-sets.ts";
import { sameTemplate } from "./template-hash.ts";
import { errorText } from "../../util/error-text.ts";

const replicaSetOf = controllerOf(replicaSets);
const deploymentOf = controllerOf(deployments);

/** Rolls out templates by scaling ReplicaSets (upstream `deployment/deployment_controller.go`). */
export function deploymentController(): Controller {
  return controller({
    name: "deployment-controller",
    for: deployments,
    watches: [
      dependents(replicaSets, bySelector(deployments)),
      // Recreate waits until the last old Pod is deleted.
      { kind: pods, map: deploymentOfPod, filter: ({ type }) => type === "deleted" },
    ],
    workers: 5,
    async reconcile(request) {
      const { namespace, name, cache, client, env } = request;
      const deployment = cache.get(deployments, namespace, name);
      if (deployment === undefined) return {};
      const { actions, write, checkAfterMs } = planDeployment({
        deployment,
        replicaSets: await claimReplicaSets(deployment, request),
        podsOf: ({ metadata }) => cache.list(pods, { index: byOwner(metadata.uid ?? "") }),
        now: env.clock.now(),
      });
      for (const action of actions) {
        if ((await carryOut(action, deployment, request)) === "give up") return {};
      }
      if (write !== undefined) await ignoreGone(client.of(deployments).updateStatus(write));
      return { requeueAfterMs: checkAfterMs };
    },
  });
}

function deploymentOfPod(pod: Pod, cache: Cache): readonly string[] {
  const name = controllerRefOf(pod)?.name;
  if (name === undefined || replicaSetOf(pod).length === 0) return [];
  const owner = cache.get(replicaSets, pod.metadata.namespace, name);
  return owner === undefined ? [] : deploymentOf(owner);
}

function claimReplicaSets(
  deployment: Deployment,
  { cache, client, namespace, name }: Reconcile,
): Promise<readonly ReplicaSet[]> {
  const selector = selectorOf(deployment.spec.selector);
  const all = candidates(replicaSets, deployment, selector, cache);
  return claim(planClaims(deployment, selector, all), {
    owner: deployment,
    dependents: client.of(replicaSets, namespace),
    refetch: () => client.of(deployments, namespace).get(name),
  });
}

async function carryOut(
  action: Action,
  deployment: Deployment,
  request: Reconcile,
): Promise<"done" | "give up"> {
  const { replicaSet } = action;
  const resource = request.client.of(replicaSets);
  switch (action.type) {
    case "create":
      return create(replicaSet, deployment, request);
    case "update":
      await resource.update(replicaSet);
      tellScale(replicaSet, action.from, deployment, request);
      return "done";
    case "delete":
      await ignoreGone(
        request.client.of(replicaSets, request.namespace).delete(replicaSet.metadata.name ?? ""),
      );
      return "done";
  }
}

function tellScale(
  replicaSet: ReplicaSet,
  from: number,
  deployment: Deployment,
  { events }: Reconcile,
): void {
  const to = sizeOf(replicaSet);
  if (from === to) return;
  const text = `Scaled ${from < to ? "up" : "down"} replica set ${replicaSet.metadata.name} from ${from} to ${to}`;
  events.event(deployment, "Normal", "ScalingReplicaSet", text);
}

async function create(
  replicaSet: ReplicaSet,
  deployment: Deployment,
  request: Reconcile,
): Promise<"done" | "give up"> {
  try {
    await request.client.of(replicaSets).create(replicaSet);
    tellScale(replicaSet, 0, deployment, request);
    return "done";
  } catch (error) {
    if (hasReason(error, "AlreadyExists")) return meetNamesake(replicaSet, deployment, request);
    // A terminating namespace accepts no creates and deletes all of its content: a retry would be useless.
    if (isNamespaceEnding(error)) return "give up";
    await reportFailure(replicaSet, deployment, error, request);
    throw error;
  }
}

/**
 * Handles AlreadyExists: either the cache does not show our own ReplicaSet yet, or two templates have the
 * same hash.
 */
async function meetNamesake(
  { metadata: { name = "" } }: ReplicaSet,
  deployment: Deployment,
  { client, namespace }: Reconcile,
): Promise<"done" | "give up"> {
  const namesake = await client.of(replicaSets, namespace).get(name);
  const { status, spec } = deployment;
  if (isControlledBy(namesake, deployment) && sameTemplate(namesake.spec.template, spec.template))
    return "give up";
  const collisionCount = (status.collisionCount ?? 0) + 1;
  await client.of(deployments).updateStatus({ ...deployment, status: { ...status, collisionCount } });
  return "give up";
}

async function reportFailure(
  { metadata: { name } }: ReplicaSet,
  deployment: Deployment,
  error: unknown,
  { client, events, env }: Reconcile,
): Promise<void> {
  const why = errorText(error);
  const text = `Failed to create new replica set "${name}": ${why}`;
  const { createError } = progressReasons;
  events.event(deployment, "Warning", createError, text);
  if (progressDeadlineMs(deployment) === undefined) return;
  const failed = condition("Progressing", "False", createError, text, env.clock.now());
  const { status } = deployment;
  const conditions = withDeploymentCondition(status.conditions ?? [], failed);
  if (conditions === status.conditions) return;
  await client.of(deployments).updateStatus({ ...deployment, status: { ...status, conditions } });
}
