import { type ControllerRevision, controllerRevisions } from "../../api/apps/controller-revision/schema.ts";
import { type StatefulSet, statefulSets } from "../../api/apps/stateful-set/schema.ts";
import { persistentVolumeClaims } from "../../api/core/persistent-volume-claim/schema.ts";
import { type Pod, pods } from "../../api/core/pod/schema.ts";
import { PodTemplateSpec } from "../../api/core/pod/spec.ts";
import { byOwner } from "../../client/indexer.ts";
import { decode } from "../../meta/decode.ts";
import { selectorOf } from "../../meta/labels.ts";
import { hasReason } from "../../meta/status.ts";
import { controller, type Controller, type Reconcile } from "../../operator/controller.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { errorText } from "../../util/error-text.ts";
import { ignoreGone } from "../ignore-gone.ts";
import { claim, planClaims } from "../ownership/claim.ts";
import { bySelector, candidates, dependents } from "../ownership/dependents.ts";
import { isNamespaceEnding } from "../pods/pod-control.ts";
import { dropRevisions, keepRevision } from "../revisions/keep-revisions.ts";
import { templateIn } from "../revisions/revisions.ts";
import { planClaimOwners } from "./claim-owners.ts";
import { claimsFor, ordinalOf, podFor, podName, revisionOf, withIdentity } from "./identity.ts";
import { type Action, type Observed, planStatefulSet, statusOf } from "./plan.ts";

/** Keeps Pods with stable names and storage, created and updated in order (upstream `statefulset/stateful_set.go`). */
export function statefulSetController(): Controller {
  return controller({
    name: "statefulset-controller",
    for: statefulSets,
    owns: [controllerRevisions],
    watches: [dependents(pods, bySelector(statefulSets))],
    reads: [persistentVolumeClaims],
    workers: 5,
    async reconcile(request) {
      const { namespace, name, cache, client, env } = request;
      const set = cache.get(statefulSets, namespace, name);
      if (set === undefined) return {};
      const history = cache.list(controllerRevisions, { index: byOwner(set.metadata.uid ?? "") });
      const { observed, revisions } = await observe(set, history, request);
      const { actions, againMs } = planStatefulSet(observed);
      let failure: unknown;
      for (const action of actions) {
        failure ??= await carryOut(action, set, revisions, request).catch((error: unknown) => error);
      }
      await keepClaimOwners(observed, request);
      const status = statusOf({ ...observed, now: env.clock.now() });
      if (!deepEqual(status, set.status)) {
        await ignoreGone(client.of(statefulSets, namespace).updateStatus({ ...set, status }));
      }
      await dropRevisions(client, history, usedIn(observed, status), set.spec.revisionHistoryLimit ?? 10);
      if (failure !== undefined && !isNamespaceEnding(failure)) throw failure;
      return { requeueAfterMs: againMs };
    },
  });
}

/** The label of a revision with the hash of its template. */
const hashLabel = "controller.kubernetes.io/hash";

type Templates = ReadonlyMap<string, PodTemplateSpec>;

/** Claims the Pods, and makes the revision of the present template. */
async function observe(
  set: StatefulSet,
  history: readonly ControllerRevision[],
  { namespace, name, cache, client, env }: Reconcile,
): Promise<{ readonly observed: Observed; readonly revisions: Templates }> {
  const selector = selectorOf(set.spec.selector);
  const own = await claim(planClaims(set, selector, candidates(pods, set, selector, cache)), {
    owner: set,
    dependents: client.of(pods, namespace),
    refetch: () => client.of(statefulSets, namespace).get(name),
  });
  const { template } = set.spec;
  const { revision, collisions } = await keepRevision(
    client,
    set,
    template,
    history,
    set.status.collisionCount,
    hashLabel,
  );
  const update = revision.metadata.name ?? "";
  const old = history.find(({ metadata }) => metadata.name === set.status.currentRevision);
  const oldTemplate = old === undefined ? undefined : templateIn(old);
  const current = oldTemplate === undefined ? update : (old?.metadata.name ?? update);
  const templates = new Map([[update, template]]);
  if (current !== update) templates.set(current, decode(PodTemplateSpec, oldTemplate));
  return {
    observed: {
      set,
      pods: own.filter((pod) => ordinalOf(pod, set) >= 0),
      revisions: { current, update, collisionCount: collisions },
      now: env.clock.now(),
    },
    revisions: templates,
  };
}

async function carryOut(
  action: Action,
  set: StatefulSet,
  templates: Templates,
  request: Reconcile,
): Promise<void> {
  switch (action.type) {
    case "create":
      await makeClaims(set, action.ordinal, request);
      return create(set, action.ordinal, action.revision, templates, request);
    case "delete":
      return remove(set, action.pod, request);
    case "repair":
      await makeClaims(set, ordinalOf(action.pod, set), request);
      return repair(set, action.pod, request);
  }
}

/** Creates the claims of an ordinal that are missing. */
async function makeClaims(
  set: StatefulSet,
  ordinal: number,
  { cache, client, namespace, events }: Reconcile,
) {
  for (const wanted of claimsFor(set, ordinal)) {
    const { name = "" } = wanted.metadata ?? {};
    if (cache.get(persistentVolumeClaims, namespace, name) !== undefined) continue;
    const told = `Claim ${name} Pod ${podName(set, ordinal)} in StatefulSet ${set.metadata.name}`;
    try {
      await client.of(persistentVolumeClaims, namespace).create(wanted);
      events.event(set, "Normal", "SuccessfulCreate", `create ${told} success`);
    } catch (error) {
      if (hasReason(error, "AlreadyExists")) continue;
      events.event(set, "Warning", "FailedCreate", `create ${told} failed error: ${errorText(error)}`);
      throw error;
    }
  }
}

async function create(
  set: StatefulSet,
  ordinal: number,
  revision: string,
  templates: Templates,
  { client, namespace, events }: Reconcile,
): Promise<void> {
  const template = templates.get(revision) ?? set.spec.template;
  const told = `create Pod ${podName(set, ordinal)} in StatefulSet ${set.metadata.name}`;
  try {
    await client.of(pods, namespace).create(podFor(set, template, revision, ordinal));
    events.event(set, "Normal", "SuccessfulCreate", `${told} successful`);
  } catch (error) {
    // The cache is behind, or a Pod with the name is still terminating.
    if (hasReason(error, "AlreadyExists")) return;
    if (!isNamespaceEnding(error))
      events.event(set, "Warning", "FailedCreate", `${told} failed error: ${errorText(error)}`);
    throw error;
  }
}

/** Deletes this very Pod: by now, another one may have its name. */
async function remove(set: StatefulSet, { metadata, status }: Pod, { client, namespace, events }: Reconcile) {
  const { name = "", uid = "" } = metadata;
  const owner = `StatefulSet ${set.metadata.name}`;
  if (status.phase === "Failed") {
    const text = `StatefulSet ${namespace}/${set.metadata.name} is recreating failed Pod ${name}`;
    events.event(set, "Warning", "RecreatingFailedPod", text);
  }
  try {
    const gone = await ignoreGone(
      client.of(pods, namespace).delete(name, { preconditions: { uid } }),
      "Conflict",
    );
    if (!gone) events.event(set, "Normal", "SuccessfulDelete", `delete Pod ${name} in ${owner} successful`);
  } catch (error) {
    const text = `delete Pod ${name} in ${owner} failed error: ${errorText(error)}`;
    events.event(set, "Warning", "FailedDelete", text);
    throw error;
  }
}

async function repair(set: StatefulSet, pod: Pod, { client, namespace }: Reconcile): Promise<void> {
  const wanted = withIdentity(pod, set);
  if (deepEqual(wanted.metadata.labels, pod.metadata.labels)) return;
  await ignoreGone(client.of(pods, namespace).update(wanted));
}

/** Makes claims go with the StatefulSet or with their Pod, as the retention policy demands (KEP-1847). */
async function keepClaimOwners(
  { set, pods: own }: Observed,
  { cache, client, namespace }: Reconcile,
): Promise<void> {
  const present = own.flatMap((pod) =>
    claimsFor(set, ordinalOf(pod, set)).flatMap(({ metadata }) => {
      const claim = cache.get(persistentVolumeClaims, namespace, metadata?.name ?? "");
      return claim === undefined ? [] : [{ claim, pod }];
    }),
  );
  for (const changed of planClaimOwners(set, present)) {
    await ignoreGone(client.of(persistentVolumeClaims, namespace).update(changed), "Conflict");
  }
}

function usedIn({ pods: own, revisions }: Observed, { currentRevision }: StatefulSet["status"]) {
  const used = new Set([revisions.current, revisions.update, currentRevision, ...own.map(revisionOf)]);
  return (name: string) => used.has(name);
}
