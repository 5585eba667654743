import { type Kind, standardVerbs } from "../../meta/kind.ts";
import { compareVersions } from "../../meta/version-order.ts";
import { cached } from "../cached.ts";
import type { ServedResource } from "../resources/served.ts";
import { by } from "../../util/compare.ts";

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
  readonly resources: readonly ServedResource[];
}

export interface ServedGroup {
  readonly group: string;
  /** Most preferred first. */
  readonly versions: readonly ServedVersion[];
}

/**
 * The served groups, in the order of preference in which clients resolve short names: built-in groups come
 * first.
 */
export const servedGroups = cached((table): readonly ServedGroup[] => {
  const listed = [...table.all()].filter(({ custom }) => custom === undefined || custom.established);
  const groups = [...Map.groupBy(listed, ({ kind }) => kind.group)];
  const builtIn = groups.filter(([, resources]) => resources.some(({ custom }) => custom === undefined));
  const added = groups.filter(([, resources]) => resources.every(({ custom }) => custom !== undefined));
  added.sort(by(([group]) => group));
  return [...builtIn, ...added].map(([group, resources]) => ({ group, versions: versionsOf(resources) }));
});

function versionsOf(resources: readonly ServedResource[]): readonly ServedVersion[] {
  const versions = [...Map.groupBy(resources, ({ kind }) => kind.version)];
  const isFixed = resources.every(({ custom }) => custom === undefined);
  if (!isFixed) versions.sort(([a], [b]) => compareVersions(b, a));
  return versions.map(([version, some]) => ({
    version,
    resources: some.toSorted(by(({ kind }) => kind.plural)),
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
  // Upstream sorts only those of built-in kinds.
  return kind.schema.foreign === undefined ? listed.sort(by(({ name }) => name)) : listed;
}

const customVerbs = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const writing = ["patch", "create", "update"];

/**
 * Returns the verbs in upstream's order. Resources of a terminating definition can only be read and deleted.
 */
export function verbsOf({ kind, custom }: ServedResource): readonly string[] {
  if (custom === undefined) return standardVerbs.filter((verb) => kind.verbs.includes(verb));
  return custom.terminating ? customVerbs.filter((verb) => !writing.includes(verb)) : customVerbs;
}
