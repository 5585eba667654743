import { groupResource, groupVersion } from "../meta/kind.ts";
import { hasReason } from "../meta/status.ts";
import type { CallOptions } from "./options.ts";
import type { ResourceRef } from "./path.ts";
import type { Transport } from "./transport.ts";

/** One resource that a server serves. */
export interface DiscoveredResource extends ResourceRef {
  readonly kind: string;
  readonly singular: string;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** The names of the resource's subresources. */
  readonly subresources: readonly string[];
}

export class Discovery {
  /** The resources in the server's order of groups and versions; earlier ones are preferred. */
  readonly resources: readonly DiscoveredResource[];
  /** The group versions that the server could not describe. Resources missing from them may still exist. */
  readonly failed: readonly string[];

  constructor(resources: readonly DiscoveredResource[], failed: readonly string[]) {
    this.resources = resources;
    this.failed = failed;
  }

  /** Each resource once, in the version that the server prefers. */
  preferred(): readonly DiscoveredResource[] {
    const first = new Map<string, DiscoveredResource>();
    for (const resource of this.resources) {
      const name = groupResource(resource);
      if (!first.has(name)) first.set(name, resource);
    }
    return [...first.values()];
  }

  /** The resource that serves a kind. */
  find(apiVersion: string, kind: string): DiscoveredResource | undefined {
    return this.resources.find((one) => one.kind === kind && groupVersion(one) === apiVersion);
  }
}

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

/** Fetches the aggregated discovery documents in two requests; a server without them is asked group by group. */
export async function discover(transport: Transport, options: CallOptions): Promise<Discovery> {
  const get = async (path: string) => {
    const response = await transport.request({
      method: "GET",
      path,
      accept: aggregated,
      list: true,
      ...options,
    });
    // The server is trusted to answer in one of the forms that were asked for.
    return response.value as Answer;
  };
  const parts = await Promise.all(["/api", "/apis"].map(async (path) => read(await get(path), get)));
  return new Discovery(
    parts.flatMap(({ resources }) => resources),
    parts.flatMap(({ failed }) => failed),
  );
}

type Part = Pick<Discovery, "resources" | "failed">;

/** The fields that are read from the answers to `/api` and `/apis`. */
type Answer =
  | { readonly kind: "APIGroupDiscoveryList"; readonly items: readonly GroupDiscovery[] }
  | { readonly kind: "APIVersions"; readonly versions: readonly string[] }
  | {
      readonly kind: "APIGroupList";
      readonly groups: readonly { versions: readonly { groupVersion: string }[] }[];
    }
  | {
      readonly kind: "APIResourceList";
      readonly groupVersion: string;
      readonly resources: readonly ApiResource[];
    };

interface GroupDiscovery {
  readonly metadata?: { readonly name?: string };
  readonly versions: readonly {
    readonly version: string;
    readonly freshness?: string;
    readonly resources?: readonly ResourceDiscovery[];
  }[];
}

interface ResourceDiscovery {
  readonly resource: string;
  readonly responseKind?: { readonly kind: string };
  readonly scope: string;
  readonly singularResource?: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly { readonly subresource: string }[];
}

interface ApiResource {
  readonly name: string;
  readonly singularName?: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

async function read(answer: Answer, get: (path: string) => Promise<Answer>): Promise<Part> {
  switch (answer.kind) {
    case "APIGroupDiscoveryList":
      return readAggregated(answer.items);
    case "APIVersions":
      return readEach(
        answer.versions.map((version) => [version, `/api/${version}`]),
        get,
      );
    case "APIGroupList": {
      const versions = answer.groups.flatMap((group) => group.versions.map((one) => one.groupVersion));
      return readEach(
        versions.map((version) => [version, `/apis/${version}`]),
        get,
      );
    }
    case "APIResourceList":
      return { resources: readResourceList(answer.groupVersion, answer.resources), failed: [] };
  }
}

function readAggregated(groups: readonly GroupDiscovery[]): Part {
  const failed: string[] = [];
  const resources: DiscoveredResource[] = [];
  for (const { metadata, versions } of groups) {
    const group = metadata?.name ?? "";
    for (const { version, freshness, resources: served = [] } of versions) {
      if (freshness === "Stale") failed.push(groupVersion({ group, version }));
      for (const one of served) resources.push(fromAggregated(group, version, one));
    }
  }
  return { resources, failed };
}

function fromAggregated(group: string, version: string, one: ResourceDiscovery): DiscoveredResource {
  return {
    group,
    version,
    plural: one.resource,
    singular: one.singularResource ?? "",
    kind: one.responseKind?.kind ?? "",
    namespaced: one.scope === "Namespaced",
    verbs: one.verbs,
    shortNames: one.shortNames ?? [],
    categories: one.categories ?? [],
    subresources: (one.subresources ?? []).map(({ subresource }) => subresource),
  };
}

/** Skips a group whose server is unavailable, so that it does not hide the others. */
async function readEach(
  versions: readonly (readonly [version: string, path: string])[],
  get: (path: string) => Promise<Answer>,
): Promise<Part> {
  const failed: string[] = [];
  const parts = await Promise.all(
    versions.map(async ([version, path]) => {
      try {
        return await read(await get(path), get);
      } catch (error) {
        if (!hasReason(error, "NotFound", "ServiceUnavailable", "InternalError", "Timeout")) throw error;
        failed.push(version);
        return { resources: [], failed: [] };
      }
    }),
  );
  return { resources: parts.flatMap(({ resources }) => resources), failed };
}

function readResourceList(apiVersion: string, list: readonly ApiResource[]): readonly DiscoveredResource[] {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  return list
    .filter(({ name }) => !name.includes("/"))
    .map((one) => ({
      group,
      version,
      plural: one.name,
      singular: one.singularName ?? "",
      kind: one.kind,
      namespaced: one.namespaced,
      verbs: one.verbs,
      shortNames: one.shortNames ?? [],
      categories: one.categories ?? [],
      subresources: list
        .filter(({ name }) => name.startsWith(`${one.name}/`))
        .map(({ name }) => name.slice(one.name.length + 1)),
    }));
}
