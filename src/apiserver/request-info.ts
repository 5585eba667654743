import { table } from "../util/table.ts";
import { isTrue } from "../util/query-flag.ts";

/** The facts about a request that follow from its method and path alone (apiserver `request.RequestInfo`). */
export interface RequestInfo {
  readonly verb: string;
  readonly path: string;
  /** Set for requests below `/api/<version>` and `/apis/<group>/<version>` that name a resource. */
  readonly resource: ResourceRequest | undefined;
}

export interface ResourceRequest {
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  /** The plural in the path. */
  readonly resource: string;
  /** Empty for requests on the collection. */
  readonly name: string;
  readonly subresource: string;
  /** The path after the subresource, for proxies. */
  readonly rest: readonly string[];
}

/** Subresources of a Namespace; any other word after the name is a resource inside the namespace. */
const namespaceSubresources = new Set(["status", "finalize"]);

const verbs: Readonly<Record<string, string>> = table({ POST: "create", PUT: "update", PATCH: "patch" });

export function requestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const parts = split(path);
  const location = locate(parts);
  if (location === undefined) return { verb: method.toLowerCase(), path, resource: undefined };
  const { group, version, rest, watching } = location;
  const resource = { group, version, ...nameResource(rest) };
  return { verb: verbOf(method, resource, query, watching), path, resource };
}

/** Decodes percent-encoding after splitting, so that an encoded slash cannot add a segment. */
function split(path: string): string[] {
  return path
    .split("/")
    .filter((part) => part !== "")
    .map(decodeSegment);
}

function decodeSegment(part: string): string {
  if (!part.includes("%")) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

interface Location {
  readonly group: string;
  readonly version: string;
  readonly rest: readonly string[];
  readonly watching: boolean;
}

function locate([prefix, ...parts]: readonly string[]): Location | undefined {
  if (prefix !== "api" && prefix !== "apis") return undefined;
  const [group = "", version = "", ...after] = prefix === "api" ? ["", ...parts] : parts;
  // The deprecated watch form has a word before the resource.
  const watching = after[0] === "watch" && after.length > 1;
  const rest = watching ? after.slice(1) : after;
  return version === "" || rest.length === 0 ? undefined : { group, version, rest, watching };
}

function nameResource(parts: readonly string[]) {
  const [first = "", second = "", third = "", ...others] = parts;
  if (first === "namespaces" && third !== "" && !namespaceSubresources.has(third)) {
    const [name = "", subresource = "", ...rest] = others;
    return { namespace: second, resource: third, name, subresource, rest };
  }
  // A Namespace is in itself: a Role inside it may grant permissions on it.
  const namespace = first === "namespaces" ? second : "";
  return { namespace, resource: first, name: second, subresource: third, rest: others };
}

function verbOf(
  method: string,
  resource: ResourceRequest | { name: string },
  query: URLSearchParams,
  watching: boolean,
) {
  const known = watching ? undefined : verbs[method];
  if (known !== undefined) return known;
  if (method === "DELETE" && !watching) return resource.name === "" ? "deletecollection" : "delete";
  if (method !== "GET" && method !== "HEAD") return method.toLowerCase();
  const isWatch = watching || isTrue(query.get("watch"));
  if (resource.name !== "" && !watching) return "get";
  return isWatch ? "watch" : "list";
}
