import type { ObjectMeta } from "./v1.ts";
import type { In, MessageType, Out } from "./schema.ts";

/** A group, version and kind, as `apiVersion` and `kind` specify it. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The fields of every object. `T` contains the fields of its schema. */
export type KubeObject<T = object> = T & {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
};

/** The JSON paths of the scale subresource's fields, without the leading dot. */
export interface ScalePaths {
  readonly specReplicas: string;
  readonly statusReplicas: string;
  /** The path of the label selector; absent when there is none. */
  readonly selector?: string;
}

/** A subresource with its own behaviour. The API server registers it under this name. */
export interface SubresourceInfo {
  /** The kind that the subresource receives and returns, if it differs from the resource's kind. */
  readonly kind: GroupVersionKind;
  readonly verbs: readonly string[];
}

export interface KindInfo {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  /** Default: the kind in lower case. */
  readonly singular?: string;
  readonly namespaced: boolean;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** True when `status` is a subresource. The main endpoint then ignores it. */
  readonly status?: boolean;
  readonly scale?: ScalePaths;
  readonly subresources?: Readonly<Record<string, SubresourceInfo>>;
  /** The verbs, if they are not the usual eight. Reviews can only be created. */
  readonly verbs?: readonly string[];
}

/**
 * One resource as clients see it: its group, version, names and schema. A typed client needs nothing else.
 * The server's behaviour is in the kind's `Strategy`.
 */
export interface Kind<O = object, I = object> extends Required<Omit<KindInfo, "scale">> {
  readonly schema: MessageType<O, I>;
  readonly scale: ScalePaths | undefined;
  /** `v1`, or `apps/v1`. */
  readonly apiVersion: string;
  readonly listKind: string;
}

/** A decoded object of a kind. */
export type ObjectOf<K> = K extends Kind<infer O, infer _> ? KubeObject<O> : never;
/** An object as a writer specifies it. `apiVersion` and `kind` are optional, because the client adds them. */
export type InputOf<K> =
  K extends Kind<infer _, infer I> ? I & { readonly apiVersion?: string; readonly kind?: string } : never;

export const standardVerbs = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
] as const;

export function defineKind<S extends MessageType>(
  schema: S,
  info: KindInfo,
): Kind<Out<S> & object, In<S> & object> {
  return {
    singular: info.kind.toLowerCase(),
    shortNames: [],
    categories: [],
    status: false,
    subresources: {},
    verbs: standardVerbs,
    ...info,
    // Safe: a message decodes to an object of its static type.
    schema: schema as MessageType<Out<S> & object, In<S> & object>,
    scale: info.scale,
    apiVersion: groupVersion(info),
    listKind: `${info.kind}List`,
  };
}

/** `v1` for the core group, `group/version` for others. */
export function groupVersion({
  group,
  version,
}: {
  readonly group: string;
  readonly version: string;
}): string {
  return group === "" ? version : `${group}/${version}`;
}

/** The inverse of `groupVersion`; undefined when there is more than one slash. */
export function parseGroupVersion(apiVersion: string): { group: string; version: string } | undefined {
  const parts = apiVersion.split("/");
  const [first = "", second] = parts;
  if (parts.length > 2) return undefined;
  return second === undefined ? { group: "", version: first } : { group: first, version: second };
}

/** The name of a resource in errors and permissions: `pods`, or `deployments.apps`. */
export function groupResource({
  group,
  plural,
}: {
  readonly group: string;
  readonly plural: string;
}): string {
  return group === "" ? plural : `${plural}.${group}`;
}
