import { groupVersion, type Kind } from "../../meta/kind.ts";
import { errors } from "../../meta/status.ts";
import type { Context } from "../context.ts";
import { type ServedGroup, servedGroups, subresourcesOf, verbsOf } from "./groups.ts";

/** `/api` */
export function versions(context: Context): object {
  const core = servedGroups(context).find(({ group }) => group === "");
  return {
    kind: "APIVersions",
    versions: core?.versions.map(({ version }) => version) ?? [],
    serverAddressByClientCIDRs: [],
  };
}

/** `/apis` */
export function groupList(context: Context): object {
  const groups = servedGroups(context).filter(({ group }) => group !== "");
  return { kind: "APIGroupList", apiVersion: "v1", groups: groups.map(describeGroup) };
}

/** `/apis/<group>` */
export function groupOf(context: Context, name: string): object {
  const found = servedGroups(context).find(({ group }) => group === name);
  if (found === undefined || name === "") throw errors.noSuchPath();
  return { kind: "APIGroup", apiVersion: "v1", ...describeGroup(found) };
}

function describeGroup({ group, versions }: ServedGroup) {
  const listed = versions.map(({ version }) => ({ groupVersion: groupVersion({ group, version }), version }));
  return { name: group, versions: listed, preferredVersion: listed[0] };
}

/** `/api/v1` and `/apis/<group>/<version>` */
export function resourceList(context: Context, group: string, version: string): object {
  const served = servedGroups(context)
    .find((one) => one.group === group)
    ?.versions.find((one) => one.version === version);
  if (served === undefined) throw errors.noSuchPath();
  return {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: groupVersion({ group, version }),
    resources: served.resources.flatMap(describeResource),
  };
}

function describeResource(kind: Kind): object[] {
  const { plural, singular, namespaced, shortNames, categories } = kind;
  const main = {
    name: plural,
    singularName: singular,
    namespaced,
    kind: kind.kind,
    verbs: verbsOf(kind),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
  };
  const parts = subresourcesOf(kind).map((part) => ({
    name: `${plural}/${part.name}`,
    singularName: "",
    namespaced,
    ...(part.group === kind.group && part.version === kind.version
      ? {}
      : { group: part.group, version: part.version }),
    kind: part.kind,
    verbs: part.verbs,
  }));
  return [main, ...parts];
}
