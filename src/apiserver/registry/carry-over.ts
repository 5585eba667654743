import { withSizes } from "../../api/core/pod/resize.ts";
import { pods, type Pod } from "../../api/core/pod/schema.ts";
import { deployments } from "../../api/apps/deployment/schema.ts";
import { decode } from "../../meta/decode.ts";
import { groupResource, type KubeObject } from "../../meta/kind.ts";
import type { Draft } from "../../meta/schema.ts";
import type { ObjectMeta } from "../../meta/v1.ts";
import type { DraftObject } from "./metadata.ts";
import type { ServedResource } from "./served.ts";
import type { Target } from "./target.ts";

/** Metadata that `/status` leaves alone; all other metadata may be written through it (`GetResetFields` of each status strategy). */
const keptByStatus: ReadonlyMap<string, readonly (keyof ObjectMeta)[]> = new Map([
  [groupResource(pods), ["ownerReferences"] as const],
  [groupResource(deployments), ["labels"] as const],
]);

/** What an endpoint does not write stays as it is stored. The draft is changed in place. */
export function carryOver(draft: DraftObject, old: KubeObject, target: Target): void {
  switch (target.subresource) {
    case "":
    case "scale":
      if (target.resource.kind.status) keepStatus(draft, old);
      return;
    case "status":
      if (target.resource.strategy.keepsMetadataOfStatus === true) keepAllMetadata(draft, old);
      else keepMetadata(draft, old, keptByStatus.get(target.resource.storageName) ?? []);
      keepAllBut(draft, old, ["metadata", "status"]);
      return;
    case "ephemeralcontainers":
      keepEphemeralContainers(draft, old as Pod);
      return;
    case "resize":
      keepSizes(draft, old as Pod);
  }
}

function keepMetadata(draft: DraftObject, old: KubeObject, names: readonly (keyof ObjectMeta)[]): void {
  for (const name of names) {
    if (old.metadata[name] === undefined) delete draft.metadata[name];
    else Object.assign(draft.metadata, { [name]: old.metadata[name] });
  }
}

function keepStatus(draft: DraftObject, old: KubeObject): void {
  const { status } = old as WithStatus;
  if (status === undefined) delete (draft as { status?: unknown }).status;
  else Object.assign(draft, { status });
}

/** But for who manages what: that is what the write is about, too. */
function keepAllMetadata(draft: DraftObject, old: KubeObject): void {
  const { managedFields } = draft.metadata;
  draft.metadata = { ...old.metadata } as DraftObject["metadata"];
  if (managedFields === undefined) delete draft.metadata.managedFields;
  else draft.metadata.managedFields = managedFields;
}

function keepEphemeralContainers(draft: DraftObject, old: Pod): void {
  const { ephemeralContainers } = (draft as unknown as Draft<Pod>).spec;
  keepAllBut(draft, old, ["metadata"]);
  keepAllMetadata(draft, old);
  const { spec } = draft as unknown as Draft<Pod>;
  if (ephemeralContainers === undefined) delete spec.ephemeralContainers;
  else spec.ephemeralContainers = ephemeralContainers;
}

function keepSizes(draft: DraftObject, old: Pod): void {
  const { spec } = draft as unknown as Draft<Pod>;
  keepAllBut(draft, old, ["metadata"]);
  keepAllMetadata(draft, old);
  (draft as unknown as Draft<Pod>).spec = withSizes(old.spec, spec);
}

type WithStatus = KubeObject<{ readonly status?: unknown }>;

/** Fields are copied one level deep, so that a strategy that sets one does not reach into the stored object. */
function keepAllBut(draft: DraftObject, old: KubeObject, kept: readonly string[]): void {
  for (const name of Object.keys(draft)) {
    if (!kept.includes(name)) delete (draft as unknown as Record<string, unknown>)[name];
  }
  for (const [name, value] of Object.entries(old)) {
    if (!kept.includes(name)) Object.assign(draft, { [name]: shallowCopy(value) });
  }
}

function shallowCopy(value: unknown): unknown {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : value;
}

/** A new object starts with the status that its schema gives to nobody in particular. */
export function resetStatus(draft: DraftObject, { kind, strategy }: ServedResource): void {
  if (!kind.status || strategy.keepsStatusOnCreate === true) return;
  const status = kind.schema.fields.get("status");
  if (status?.type.kind === "message" && status.presence !== "pointer")
    Object.assign(draft, { status: decode(status.type, {}) });
  else delete (draft as { status?: unknown }).status;
}
