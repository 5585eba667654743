import type { ServedResource } from "../resources/served.ts";
import type { MessageType } from "../../meta/schema.ts";
import { APIGroup, APIGroupList, APIVersions, Info } from "./discovery-messages.ts";
import { compose, type KindIndex } from "./document.ts";
import { answers, groupName, title } from "./operations.ts";
import type { SchemaObject } from "./schema-object.ts";
import { table } from "../../util/table.ts";

/** A path without a resource, which has a document of its own. */
interface Discovery {
  readonly tag: string;
  readonly id: string;
  readonly description: string;
  /** Text, without a message. */
  readonly answer?: MessageType;
  readonly types?: readonly string[];
}

const ofServer: Readonly<Record<string, Discovery>> = table({
  api: {
    tag: "core",
    id: "getCoreAPIVersions",
    description: "list the versions of the core group",
    answer: APIVersions,
  },
  apis: { tag: "apis", id: "getAPIVersions", description: "list the groups", answer: APIGroupList },
  version: {
    tag: "version",
    id: "getCodeVersion",
    description: "read the server's version",
    answer: Info,
    types: ["application/json"],
  },
  ".well-known/openid-configuration": {
    tag: "WellKnown",
    id: "getServiceAccountIssuerOpenIDConfiguration",
    description: "read how tokens of ServiceAccounts are checked",
    types: ["application/json"],
  },
  "openid/v1/jwks": {
    tag: "openid",
    id: "getServiceAccountIssuerOpenIDKeyset",
    description: "read the keys that tokens of ServiceAccounts are checked with",
    types: ["application/jwk-set+json"],
  },
});

/**
 * Returns the documents of all paths without resources, by path. As upstream, the groups of custom resources
 * have none.
 */
export function discoveryDocuments(
  resources: readonly ServedResource[],
): ReadonlyMap<string, (index: KindIndex) => SchemaObject> {
  const builtIn = resources.filter(({ kind, custom }) => kind.group !== "" && custom === undefined);
  const groups = new Set(builtIn.map(({ kind }) => kind.group));
  const all = [...Object.entries(ofServer), ...[...groups].map(ofGroup)];
  return new Map(all.map(([path, discovery]) => [path, (index) => documentOf(path, discovery, index)]));
}

function ofGroup(group: string): [string, Discovery] {
  const tag = groupName(group);
  const id = `get${title(tag)}APIGroup`;
  return [`apis/${group}`, { tag, id, description: "read the group's versions", answer: APIGroup }];
}

function documentOf(path: string, { tag, id, description, answer, types }: Discovery, index: KindIndex) {
  return compose(index, undefined, (definitions) => {
    const responses = {
      ...answers(answer === undefined ? { type: "string" } : definitions.refer(answer), [200], types),
      "401": { description: "Unauthorized" },
    };
    return [[`/${path}/`, { get: { description, operationId: id, responses, tags: [tag] } }]];
  });
}
