import type { ServedResource } from "../resources/served.ts";
import type { Definitions } from "./definitions.ts";
import { WatchEvent } from "./meta-messages.ts";
import { answers, mediaTypesOf, pathPrefix } from "./operations.ts";
import { listing, namespace, pathParameter, pretty } from "./parameters.ts";
import { type Operations, operationsOf, type Path } from "./resource-operation.ts";

/** Returns the paths of the deprecated form of watches, with `watch` in the path. */
export function watchPaths(resource: ServedResource, definitions: Definitions): Path[] {
  const { kind } = resource;
  // Upstream has never offered them for custom resources.
  if (!kind.verbs.includes("watch") || kind.schema.foreign !== undefined) return [];
  const make = operationsOf(resource);
  const responses = answers(definitions.refer(WatchEvent), [200], mediaTypesOf(kind, "stream"));
  const watch = (action: string, after: string, scope?: string): Operations => {
    const description = `watch ${kind.plural}; deprecated in favour of a list's parameter watch`;
    return { get: make({ verb: "watch", description, action, after, responses }, scope) };
  };
  const root = `${pathPrefix(kind)}/watch`;
  const query = [pretty, ...listing];
  const name = pathParameter("name", `The name of the ${kind.kind}.`);
  if (!kind.namespaced) {
    return [
      [`${root}/${kind.plural}`, watch("watchlist", "List"), query],
      [`${root}/${kind.plural}/{name}`, watch("watch", ""), [name, ...query]],
    ];
  }
  const inNamespace = `${root}/namespaces/{namespace}/${kind.plural}`;
  return [
    [`${root}/${kind.plural}`, watch("watchlist", "ListForAllNamespaces", ""), query],
    [inNamespace, watch("watchlist", "List"), [namespace, ...query]],
    [`${inNamespace}/{name}`, watch("watch", ""), [name, namespace, ...query]],
  ];
}
