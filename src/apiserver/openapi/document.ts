import { bodies } from "../../api/registrations.ts";
import type { GroupVersionKind, Kind } from "../../meta/kind.ts";
import type { MessageType } from "../../meta/schema.ts";
import { DeleteOptions } from "../../meta/v1-options.ts";
import { version } from "../version.ts";
import type { ServedResource } from "../resources/served.ts";
import { Definitions } from "./definitions.ts";
import { APIGroup, APIGroupList, APIVersions } from "./discovery-messages.ts";
import { listMessage } from "../../meta/list-message.ts";
import { APIResourceList, Status, WatchEvent } from "./meta-messages.ts";
import { answers, groupVersionKind, namingOf, pathPrefix } from "./operations.ts";
import { resourcePaths } from "./resource-paths.ts";
import type { SchemaObject } from "./schema-object.ts";
import { type FindMessage, subresourcePaths } from "./subresource-paths.ts";
import { by } from "../../util/compare.ts";

/** Returns the OpenAPI 3.0 document of one group and version. */
export function documentOf(resources: readonly ServedResource[], index: KindIndex): SchemaObject {
  const [first] = resources;
  return compose(index, first?.kind, (definitions) => [
    ...(first === undefined ? [] : [discoveryPath(first.kind, definitions)]),
    ...resources.flatMap((resource) => [
      ...resourcePaths(resource, definitions),
      ...subresourcePaths(resource, definitions, index.find),
    ]),
  ]);
}

/**
 * Composes a document of these paths and the definitions that they reference; `of` is set for the document of
 * a group and version.
 */
export function compose(
  { kinds }: KindIndex,
  of: Kind | undefined,
  pathsOf: (definitions: Definitions) => readonly [string, SchemaObject][],
): SchemaObject {
  const definitions = new Definitions((message) => {
    const known = kinds.get(message) ?? [];
    // These messages belong to every group and version: clients use the kind of the object that they delete
    // or watch.
    const isEverywhere = message === DeleteOptions.name || message === WatchEvent.name;
    return isEverywhere ? [...known, ...ownKinds(of, known)] : known;
  });
  const paths = pathsOf(definitions).toSorted(by(([path]) => path));
  return {
    openapi: "3.0.0",
    info,
    paths: Object.fromEntries(paths),
    components: {
      schemas: definitions.all(),
      securitySchemes: { BearerToken: bearerToken },
    },
  };
}

export const info = { title: "Kubernetes", version: `${version.major}.${version.minor}` };
export const bearerToken = {
  type: "apiKey",
  description: "A bearer token.",
  name: "authorization",
  in: "header",
};

function ownKinds(of: Kind | undefined, core: readonly GroupVersionKind[]): readonly GroupVersionKind[] {
  if (of === undefined || of.apiVersion === "v1") return [];
  return core.map(({ kind }) => ({ group: of.group, version: of.version, kind }));
}

const metaKinds: Readonly<Record<string, readonly GroupVersionKind[]>> = Object.fromEntries(
  [APIGroup, APIGroupList, APIResourceList, APIVersions, DeleteOptions, Status, WatchEvent].map(
    ({ name }) => [name, [{ group: "", version: "v1", kind: name.slice(name.lastIndexOf(".") + 1) }]],
  ),
);

/** Kinds by the name of their message, and messages by kind. */
export interface KindIndex {
  readonly kinds: ReadonlyMap<string, readonly GroupVersionKind[]>;
  readonly find: FindMessage;
}

/** `all` are the kinds of all served resources. */
export function kindIndex(all: readonly Kind[]): KindIndex {
  const kinds = new Map<string, readonly GroupVersionKind[]>(Object.entries(metaKinds));
  const messages = new Map<string, MessageType>();
  for (const kind of [...all, ...bodies]) {
    kinds.set(kind.schema.name, [groupVersionKind(kind)]);
    kinds.set(listMessage(kind).name, [groupVersionKind({ ...kind, kind: kind.listKind })]);
    messages.set(key(kind), kind.schema);
  }
  return { kinds, find: (kind) => messages.get(key(kind)) };
}

function key({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}/${kind}`;
}

function discoveryPath(kind: Kind, definitions: Definitions): [string, SchemaObject] {
  const { id, tag } = namingOf(kind.apiVersion);
  const get = {
    description: "list the resources that are served",
    operationId: `get${id}APIResources`,
    responses: {
      ...answers(definitions.refer(APIResourceList), [200]),
      "401": { description: "Unauthorized" },
    },
    tags: [tag],
  };
  return [`${pathPrefix(kind)}/`, { get }];
}
