import { createHash } from "node:crypto";
import { groupVersion } from "../../meta/kind.ts";
import { errors } from "../../meta/status.ts";
import type { Context } from "../context.ts";
import type { ServedResource } from "../resources/served.ts";
import { type ServedGroup, servedGroups, subresourcesOf, verbsOf } from "./groups.ts";

/** Answers `/api`. */
export function versions({ services, request }: Context): object {
  // The address that the client used.
  const address = request.headers["host"] ?? request.headers[":authority"];
  const core = servedGroups(services.resources).find(({ group }) => group === "");
  return {
    kind: "APIVersions",
    versions: core?.versions.map(({ version }) => version) ?? [],
    serverAddressByClientCIDRs:
      address === undefined ? [] : [{ clientCIDR: "0.0.0.0/0", serverAddress: address }],
  };
}

/** Answers `/apis`. */
export function groupList({ services }: Context): object {
  const groups = servedGroups(services.resources).filter(({ group }) => group !== "");
  return { kind: "APIGroupList", apiVersion: "v1", groups: groups.map(describeGroup) };
}

/** Answers `/apis/<group>`. */
export function groupOf({ services }: Context, name: string): object {
  const found = servedGroups(services.resources).find(({ group }) => group === name);
  if (found === undefined || name === "") throw errors.noSuchPath();
  return { kind: "APIGroup", apiVersion: "v1", ...describeGroup(found) };
}

function describeGroup({ group, versions }: ServedGroup) {
  const listed = versions.map(({ version }) => ({ groupVersion: groupVersion({ group, version }), version }));
  return { name: group, versions: listed, preferredVersion: listed[0] };
}

/** Answers `/api/v1` and `/apis/<group>/<version>`. */
export function resourceList({ services }: Context, group: string, version: string): object {
  const served = servedGroups(services.resources)
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

function describeResource(served: ServedResource): object[] {
  const { kind } = served;
  const { plural, singular, namespaced, shortNames, categories } = kind;
  const main = {
    name: plural,
    singularName: singular,
    namespaced,
    kind: kind.kind,
    verbs: verbsOf(served),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(kind.verbs.includes("watch") ? { storageVersionHash: storageHash(served) } : {}),
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

/** Returns a hash that changes with the storage version (apiserver `discovery.StorageVersionHash`). */
function storageHash({ storedKind: { group, version, kind }, custom }: ServedResource): string {
  return createHash("sha256")
    .update(`${group}/${custom?.storageVersion ?? version}/${kind}`)
    .digest()
    .subarray(0, 8)
    .toString("base64");
}
