import type { UserInfo } from "../../meta/exchange.ts";
import type { Kind, KubeObject } from "../../meta/kind.ts";
import type { Draft } from "../../meta/schema.ts";
import type { AdmissionServices } from "./admission-services.ts";
import type { DraftObject } from "../resources/draft.ts";
import type { ServedResource } from "../resources/served.ts";

export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** A request for admission. */
export interface Attributes {
  readonly operation: Operation;
  readonly resource: ServedResource;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** The name in the request's path: empty for a create on the collection. */
  readonly pathName: string;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** The object to be written; a plugin's `mutate` changes it in place. Absent for DELETE. */
  readonly object: DraftObject | undefined;
  /** The stored object; absent for CREATE. */
  readonly old: KubeObject | undefined;
  /** Adds a text to the response's `Warning` headers. */
  readonly warn: (text: string) => void;
}

/** The attributes of a request about objects of one kind. */
export interface AttributesOf<O extends object> extends Attributes {
  readonly object: Draft<KubeObject<O>> | undefined;
  readonly old: KubeObject<O> | undefined;
}

/**
 * Returns the attributes with the types of a kind if the request is about an object of that kind, or about
 * its `subresource`; undefined for other requests.
 */
export function about<O extends object, I extends object>(
  kind: Kind<O, I>,
  attributes: Attributes,
  subresource = "",
): AttributesOf<O> | undefined {
  // Safe: the registry passes only objects that the kind's schema has decoded.
  return attributes.resource.kind === kind && attributes.subresource === subresource
    ? (attributes as AttributesOf<O>)
    : undefined;
}

/** The plugins for a write, with the services that they use. */
export interface Admission {
  readonly admission: readonly AdmissionPlugin[];
  readonly services: AdmissionServices;
}

/**
 * One step of admission. Plugins run in the order of the list in `plugins.ts`: first every `mutate`; after
 * the kind's strategy has prepared the object, every `allocate`; after validation, every `validate`. A plugin
 * refuses by throwing a StatusError.
 *
 * All plugins run again for the same request when the server reads the object again after a conflict.
 */
export interface AdmissionPlugin {
  readonly name: string;
  mutate?(attributes: Attributes, services: AdmissionServices): Promise<void> | void;
  /** Allocates values that are unique in the cluster, and reserves them for this write. */
  allocate?(attributes: Attributes, services: AdmissionServices): Promise<void> | void;
  /** Called after the write, stored or not: ends its reservations. */
  release?(attributes: Attributes): void;
  validate?(attributes: Attributes, services: AdmissionServices): Promise<void> | void;
  /**
   * Returns the objects that are created and deleted together with a stored change: all of it is stored, or nothing.
   * Called again at each attempt.
   */
  companions?(change: StoredChange): readonly Companion[];
}

/** A change that is about to be stored. */
export interface StoredChange {
  readonly resource: ServedResource;
  /** Undefined for a create. */
  readonly old: KubeObject | undefined;
  /** Undefined for a deletion. */
  readonly next: KubeObject | undefined;
}

/** A cluster-scoped object that is created or deleted together with another one. */
export type Companion = { readonly kind: Kind; readonly name: string } & (
  | { readonly type: "create"; readonly object: object }
  | { readonly type: "delete" }
);

export function mutate(scope: Admission, attributes: Attributes): Promise<void> {
  return each(scope, "mutate", attributes);
}

export function allocate(scope: Admission, attributes: Attributes): Promise<void> {
  return each(scope, "allocate", attributes);
}

export function release({ admission }: Admission, attributes: Attributes): void {
  for (const plugin of pluginsWith(admission, "release")) plugin.release?.(attributes);
}

export function validate(scope: Admission, attributes: Attributes): Promise<void> {
  return each(scope, "validate", attributes);
}

async function each(
  { admission, services }: Admission,
  phase: "mutate" | "allocate" | "validate",
  attributes: Attributes,
): Promise<void> {
  for (const plugin of pluginsWith(admission, phase)) {
    const asked = plugin[phase]?.(attributes, services);
    // Most plugins return synchronously, and every await takes a turn.
    if (asked !== undefined) await asked;
  }
}

type Phase = "mutate" | "allocate" | "release" | "validate";

/** By the whole list, which never changes, because most plugins have only one phase, and every write has all. */
const byPhase = new WeakMap<readonly AdmissionPlugin[], Map<Phase, readonly AdmissionPlugin[]>>();

function pluginsWith(admission: readonly AdmissionPlugin[], phase: Phase): readonly AdmissionPlugin[] {
  let phases = byPhase.get(admission);
  if (phases === undefined) byPhase.set(admission, (phases = new Map()));
  let plugins = phases.get(phase);
  if (plugins === undefined)
    phases.set(phase, (plugins = admission.filter((plugin) => plugin[phase] !== undefined)));
  return plugins;
}
