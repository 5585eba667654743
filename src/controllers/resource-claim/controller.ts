import { hasResourceClaims, resourceClaimNames } from "../../api/core/pod/references.ts";
import { type Pod, pods } from "../../api/core/pod/schema.ts";
import { consumerOf } from "../../api/resource/resource-claim/of-pod.ts";
import { type ResourceClaim, resourceClaims } from "../../api/resource/resource-claim/schema.ts";
import { resourceClaimTemplates } from "../../api/resource/resource-claim-template/schema.ts";
import { byOwner, defineIndex } from "../../client/indexer.ts";
import { controller, type Controller, type Reconcile } from "../../operator/controller.ts";
import { errorText } from "../../util/error-text.ts";
import { ignoreGone } from "../ignore-gone.ts";
import { MadeClaims } from "./made-claims.ts";
import { type ClaimInput, plan, reservations, type Step } from "./plan.ts";

/** The ServiceAccount, and upstream's source of Events. */
export const identity = { name: "resource-claim-controller", eventSource: "resource_claim" } as const;

/** The owner of `status.resourceClaimStatuses`, as upstream names it. */
const fieldManager = "ResourceClaimController";

export const claimKeysOf = (pod: Pod): readonly string[] =>
  [...resourceClaimNames(pod)].map((name) => `${pod.metadata.namespace}/${name}`);

/** Pods by the keys of the ResourceClaims that they use. */
const podsOfClaim = defineIndex<Pod>("resource claim", claimKeysOf);

const podsOfTemplate = defineIndex<Pod>("resource claim template", ({ metadata, spec }) =>
  (spec.resourceClaims ?? []).flatMap(({ resourceClaimTemplateName: name }) =>
    name === undefined ? [] : [`${metadata.namespace}/${name}`],
  ),
);

const keyOf = ({ metadata }: Pod) => `${metadata.namespace}/${metadata.name}`;

/**
 * Makes the ResourceClaims of Pods from templates, and reserves claims for Pods that got their node without the
 * scheduler (upstream `resourceclaim`).
 */
export function podClaimController(): Controller {
  const made = new MadeClaims();
  return controller({
    ...identity,
    for: pods,
    filter: ({ object }) => hasResourceClaims(object),
    watches: [
      {
        kind: resourceClaims,
        observe: ({ object }) => made.see(object),
        map: ({ metadata }, cache) => {
          const users = cache.list(pods, {
            index: podsOfClaim(`${metadata.namespace}/${metadata.name}`),
          });
          return users.map(keyOf);
        },
      },
      {
        kind: resourceClaimTemplates,
        map: ({ metadata }, cache) => {
          const index = podsOfTemplate(`${metadata.namespace}/${metadata.name}`);
          return cache.list(pods, { index }).map(keyOf);
        },
        filter: ({ type }) => type !== "deleted",
      },
    ],
    workers: 10,
    async reconcile(request) {
      const { namespace, name, cache, env } = request;
      const pod = cache.get(pods, namespace, name);
      if (pod === undefined || !hasResourceClaims(pod)) return;
      const find = (one: string) => cache.get(resourceClaims, namespace, one);
      const owned = [
        ...cache.list(resourceClaims, { index: byOwner(pod.metadata.uid ?? "") }),
        ...made.of(pod, env.clock.now()),
      ];
      const template = (one: string) => cache.get(resourceClaimTemplates, namespace, one);
      const found = new Map<string, string>();
      for (const step of plan(pod, { claim: find, template, owned })) {
        found.set(step.entry, await carryOut(step, pod, made, request));
      }
      await record(pod, found, request);
      for (const claim of reservations(pod, find)) await reserve(pod, claim, request);
    },
  });
}

/** Returns the name of the entry's claim. */
async function carryOut(step: Step, pod: Pod, made: MadeClaims, request: Reconcile): Promise<string> {
  const { namespace, key, client, events, env } = request;
  try {
    if (step.type === "record") return step.name;
    if (step.type === "refuse") throw new Error(step.why);
    const claim = await create(step.claim);
    made.add(claim, env.clock.now());
    return claim.metadata.name ?? "";
  } catch (error) {
    const text = `PodResourceClaim ${step.entry}: ${errorText(error)}`;
    events.event(pod, "Warning", "FailedResourceClaimCreation", text);
    throw new Error(`Cannot make the claims of pod ${key}: ${text}`, { cause: error });
  }

  async function create(input: ClaimInput): Promise<ResourceClaim> {
    try {
      return await client.of(resourceClaims, namespace).create(input);
    } catch (error) {
      throw new Error(`create ResourceClaim : ${errorText(error)}`, { cause: error });
    }
  }
}

/** Writes the claims of entries into the Pod's status. */
async function record(
  pod: Pod,
  made: ReadonlyMap<string, string>,
  { client, namespace, name }: Reconcile,
): Promise<void> {
  const known = new Map(pod.status.resourceClaimStatuses?.map((one) => [one.name, one.resourceClaimName]));
  const resourceClaimStatuses = [...made]
    .filter(([entry, claim]) => known.get(entry) !== claim)
    .map(([entry, resourceClaimName]) => ({ name: entry, resourceClaimName }));
  if (resourceClaimStatuses.length === 0) return;
  // Merged by name: claims of other entries stay. The UID refuses the patch for another Pod of the name.
  const patch = { metadata: { uid: pod.metadata.uid }, status: { resourceClaimStatuses } };
  const options = { type: "strategic", subresource: "status", fieldManager } as const;
  await ignoreGone(client.of(pods, namespace).patch(name, patch, options), "Conflict");
}

async function reserve(pod: Pod, claim: ResourceClaim, { client, namespace }: Reconcile): Promise<void> {
  const reservedFor = [...(claim.status.reservedFor ?? []), consumerOf(pod)];
  await client
    .of(resourceClaims, namespace)
    .updateStatus({ ...claim, status: { ...claim.status, reservedFor } });
}
