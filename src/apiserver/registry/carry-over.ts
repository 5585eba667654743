import { decode } from "../../meta/decode.ts";
import type { KubeObject } from "../../meta/kind.ts";
import type { Part } from "../../meta/strategy.ts";
import type { ObjectMeta } from "../../meta/v1.ts";
import type { DraftObject } from "../resources/draft.ts";
import { partOf } from "../resources/part.ts";
import type { ServedResource } from "../resources/served.ts";
import type { Target } from "../resources/target.ts";

/** Restores the stored parts that an endpoint does not write. The draft is changed in place. */
export function carryOver(draft: DraftObject, old: KubeObject, { resource, subresource }: Target): void {
  const part = partOf(resource, subresource);
  if (part !== undefined) writePart(draft, old, subresource, part);
  else if (resource.kind.status && (subresource === "" || subresource === "scale")) keepStatus(draft, old);
}

function writePart(draft: DraftObject, old: KubeObject, subresource: string, part: Part<KubeObject>): void {
  const { keepsMetadata = [] } = part;
  const written = part.write?.(draft, old);
  if (keepsMetadata === "all") keepAllMetadata(draft, old);
  else keepMetadata(draft, old, keepsMetadata);
  keepAllBut(draft, old, ["metadata", ...(written === undefined ? [subresource] : Object.keys(written))]);
  Object.assign(draft, written);
}

function keepMetadata(draft: DraftObject, old: KubeObject, names: readonly (keyof ObjectMeta)[]): void {
  for (const name of names) {
    if (old.metadata[name] === undefined) delete draft.metadata[name];
    else Object.assign(draft.metadata, { [name]: old.metadata[name] });
  }
}

interface WithStatus {
  status?: unknown;
}

function keepStatus(draft: DraftObject & WithStatus, { status }: KubeObject & WithStatus): void {
  if (status === undefined) delete draft.status;
  else draft.status = status;
}

/** Keeps all metadata except the field owners, which each write computes. */
function keepAllMetadata(draft: DraftObject, old: KubeObject): void {
  const { managedFields } = draft.metadata;
  // Safe: only the top level is changed afterwards, and it is a copy.
  draft.metadata = { ...old.metadata } as DraftObject["metadata"];
  if (managedFields === undefined) delete draft.metadata.managedFields;
  else draft.metadata.managedFields = managedFields;
}

/** Copies fields one level deep, so that a strategy that sets a field does not change the stored object. */
function keepAllBut(draft: DraftObject, old: KubeObject, kept: readonly string[]): void {
  for (const name of Object.keys(draft)) {
    if (!kept.includes(name)) Reflect.deleteProperty(draft, name);
  }
  for (const [name, value] of Object.entries(old)) {
    if (!kept.includes(name)) Object.assign(draft, { [name]: shallowCopy(value) });
  }
}

function shallowCopy(value: unknown): unknown {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : value;
}

/** Sets a new object's status to the empty status of its schema. */
export function resetStatus(draft: DraftObject, { kind, strategy }: ServedResource): void {
  if (!kind.status || strategy.keepsStatusOnCreate === true) return;
  const status = kind.schema.fields.get("status");
  if (status?.type.kind === "message" && status.presence !== "pointer")
    Object.assign(draft, { status: decode(status.type, {}) });
  else Reflect.deleteProperty(draft, "status");
}
