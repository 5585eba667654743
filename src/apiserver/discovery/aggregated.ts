import { createHash } from "node:crypto";
import type { ApiResponse } from "../../meta/exchange.ts";
import type { Context } from "../context.ts";
import { cached } from "../cached.ts";
import type { ServedResource } from "../resources/served.ts";
import { type ServedGroup, type ServedVersion, servedGroups, subresourcesOf, verbsOf } from "./groups.ts";

/** The served versions of the aggregated form; old clients request the beta version. */
export type AggregatedVersion = "v2" | "v2beta1";

/** Returns the aggregated form that the client prefers; undefined when it prefers the legacy one. */
export function aggregatedForm(accept: string): AggregatedVersion | undefined {
  for (const clause of accept.split(",")) {
    const [type, ...parameters] = clause.split(";").map((part) => part.trim());
    if (type !== "application/json") continue;
    if (!parameters.includes("as=APIGroupDiscoveryList")) return undefined;
    if (!parameters.includes("g=apidiscovery.k8s.io")) continue;
    if (parameters.includes("v=v2")) return "v2";
    if (parameters.includes("v=v2beta1")) return "v2beta1";
  }
  return undefined;
}

/**
 * Answers with all groups or the core group in one document (KEP-3352), with an ETag by which kubectl's cache
 * revalidates.
 */
export function aggregatedDiscovery(
  context: Context,
  core: boolean,
  version: AggregatedVersion,
): ApiResponse {
  const { document, encoded, etag } = documentsOf(context.services.resources)(core, version);
  const headers = { etag, vary: "Accept", "cache-control": "public" };
  if (context.request.headers["if-none-match"] === etag)
    return { status: 304, headers, body: { type: "empty" } };
  const contentType = `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
  return {
    status: 200,
    headers: { ...headers, "content-type": contentType },
    body: { type: "object", value: document, encoded },
  };
}

interface Encoded {
  readonly document: object;
  readonly encoded: Uint8Array;
  readonly etag: string;
}

/** Each document is made at its first request. */
const documentsOf = cached((table) => {
  const made = new Map<string, Encoded>();
  return (core: boolean, version: AggregatedVersion): Encoded => {
    const key = `${core} ${version}`;
    const found = made.get(key) ?? encode(servedGroups(table), core, version);
    made.set(key, found);
    return found;
  };
});

function encode(groups: readonly ServedGroup[], core: boolean, version: AggregatedVersion): Encoded {
  const items = groups
    .filter(({ group }) => (group === "") === core)
    .map(({ group, versions }) => ({
      metadata: group === "" ? {} : { name: group },
      versions: versions.map((one) => describeVersion(one)),
    }));
  const document = {
    kind: "APIGroupDiscoveryList",
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items,
  };
  const encoded = Buffer.from(JSON.stringify(document));
  const etag = `"${createHash("sha512").update(encoded).digest("hex").toUpperCase()}"`;
  return { document, encoded, etag };
}

function describeVersion({ version, resources }: ServedVersion) {
  return { version, freshness: "Current", resources: resources.map(describeResource) };
}

function describeResource(served: ServedResource) {
  const { kind } = served;
  const { group, version, plural, singular, namespaced, shortNames, categories } = kind;
  const subresources = subresourcesOf(kind).map((part) => ({
    subresource: part.name,
    responseKind: { group: part.group, version: part.version, kind: part.kind },
    verbs: part.verbs,
  }));
  return {
    resource: plural,
    responseKind: { group, version, kind: kind.kind },
    scope: namespaced ? "Namespaced" : "Cluster",
    singularResource: singular,
    verbs: verbsOf(served),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}
