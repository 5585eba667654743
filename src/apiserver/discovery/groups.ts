import { type Kind, standardVerbs } from "../../meta/kind.ts";
import type { Context } from "../context.ts";
import type { ServedResource } from "../registry/served.ts";

/** One subresource as discovery lists it. */
export interface ListedSubresource {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

export interface ServedVersion {
  readonly version: string;
  readonly resources: readonly Kind[];
}

export interface ServedGroup {
  readonly group: string;
  /** Most preferred first. */
  readonly versions: readonly ServedVersion[];
}

/** What is served, in the order of preference in which clients resolve short names. */
export function servedGroups({ services }: Context): readonly ServedGroup[] {
  const groups = new Map<string, Map<string, ServedResource[]>>();
  for (const resource of services.resources.all()) {
    const { group, version } = resource.kind;
    const versions = groups.get(group) ?? new Map<string, ServedResource[]>();
    groups.set(group, versions);
    versions.set(version, [...(versions.get(version) ?? []), resource]);
  }
  return [...groups].map(([group, versions]) => ({
    group,
    versions: [...versions].map(([version, resources]) => ({
      version,
      resources: resources.map(({ kind }) => kind).sort((a, b) => (a.plural < b.plural ? -1 : 1)),
    })),
  }));
}

const readWrite = ["get", "patch", "update"];

export function subresourcesOf(kind: Kind): readonly ListedSubresource[] {
  const listed: ListedSubresource[] = Object.entries(kind.subresources).map(([name, info]) => ({
    name,
    ...info.kind,
    verbs: info.verbs,
  }));
  if (kind.status) {
    listed.push({
      name: "status",
      group: kind.group,
      version: kind.version,
      kind: kind.kind,
      verbs: readWrite,
    });
  }
  if (kind.scale !== undefined) {
    listed.push({ name: "scale", group: "autoscaling", version: "v1", kind: "Scale", verbs: readWrite });
  }
  return listed.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Upstream lists verbs in this order; `standardVerbs` already has it. */
export function verbsOf(kind: Kind): readonly string[] {
  return standardVerbs.filter((verb) => kind.verbs.includes(verb));
}
