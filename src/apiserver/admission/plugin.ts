import type { UserInfo } from "../../meta/exchange.ts";
import type { Kind, KubeObject } from "../../meta/kind.ts";
import type { Draft } from "../../meta/schema.ts";
import type { AdmissionServices } from "./admission-services.ts";
import type { DraftObject } from "../resources/draft.ts";
import type { ServedResource } from "../resources/served.ts";

export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** What admission is asked about. */
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
  /** What is stored now; absent for CREATE. */
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
 * The attributes with the types of a kind, where the request is about an object of it, or about its `subresource`;
 * undefined for other requests.
 */
export function about<O extends object, I extends object>(
  kind: Kind<O, I>,
  attributes: Attributes,
  subresource = "",
): AttributesOf<O> | undefined {
  // Safe: the registry hands on only objects that the kind's schema has decoded.
  return attributes.resource.kind === kind && attributes.subresource === subresource
    ? (attributes as AttributesOf<O>)
    : undefined;
}

/** The plugins that a write meets, with the services that they work with. */
export interface Admission {
  readonly admission: readonly AdmissionPlugin[];
  readonly services: AdmissionServices;
}

/**
 * One step of admission. Plugins run in the order of the list in `plugins.ts`: first every `mutate`; once the
 * kind's strategy has prepared the object, every `allocate`; once it is validated, every `validate`. Each
 * throws a StatusError to refuse.
 *
 * All may run again for the same request when a concurrent write made the server read the object anew.
 */
export interface AdmissionPlugin {
  readonly name: string;
  mutate?(attributes: Attributes, services: AdmissionServices): Promise<void> | void;
  /** Gives out what is unique in the cluster, and holds it for this write. */
  allocate?(attributes: Attributes, services: AdmissionServices): Promise<void> | void;
  /** The write has ended, stored or not: what is held for it is held no longer. */
  release?(attributes: Attributes): void;
  validate?(attributes: Attributes, services: AdmissionServices): Promise<void> | void;
}

export function mutate(scope: Admission, attributes: Attributes): Promise<void> {
  return each(scope, (plugin) => plugin.mutate?.(attributes, scope.services));
}

export function allocate(scope: Admission, attributes: Attributes): Promise<void> {
  return each(scope, (plugin) => plugin.allocate?.(attributes, scope.services));
}

export function release({ admission }: Admission, attributes: Attributes): void {
  for (const plugin of admission) plugin.release?.(attributes);
}

export function validate(scope: Admission, attributes: Attributes): Promise<void> {
  return each(scope, (plugin) => plugin.validate?.(attributes, scope.services));
}

async function each(
  { admission }: Admission,
  ask: (plugin: AdmissionPlugin) => Promise<void> | void | undefined,
): Promise<void> {
  for (const plugin of admission) {
    const asked = ask(plugin);
    // Most answer at once, and every wait is a turn of its own.
    if (asked !== undefined) await asked;
  }
}
