import type { ApiResponse, UserInfo } from "../../meta/exchange.ts";
import { errors } from "../../meta/status.ts";
import type { Context } from "../context.ts";

const extraPrefix = "impersonate-extra-";

/**
 * Lets a user act as another one, if permitted to `impersonate` each part of the other's identity. Later
 * steps use the impersonated identity (apiserver `endpoints/filters/impersonation`).
 */
export function impersonate(context: Context, next: () => Promise<ApiResponse>): Promise<ApiResponse> {
  const { headers } = context.request;
  const name = given(headers["impersonate-user"]);
  const groups = list(headers["impersonate-group"]);
  const uid = given(headers["impersonate-uid"]);
  const extra = extraOf(headers);
  if (name === undefined) {
    if (groups.length > 0 || uid !== undefined || Object.keys(extra).length > 0) {
      throw errors.badRequest("requested impersonation of groups, UID or extra without impersonating a user");
    }
    return next();
  }
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(name);
  const [, namespace = "", accountName = ""] = account ?? [];
  if (account === null) check(context, "", "users", name);
  else check(context, "", "serviceaccounts", accountName, namespace);
  for (const group of groups) check(context, "", "groups", group);
  if (uid !== undefined) check(context, "authentication.k8s.io", "uids", uid);
  for (const [key, values] of Object.entries(extra)) {
    for (const value of values) check(context, "authentication.k8s.io", "userextras", value, "", key);
  }
  context.user = {
    name,
    groups: effectiveGroups(name, groups, account === null ? undefined : namespace),
    ...(uid === undefined ? {} : { uid }),
    extra,
  };
  return next();
}

function effectiveGroups(
  name: string,
  groups: readonly string[],
  namespace: string | undefined,
): readonly string[] {
  if (name === "system:anonymous") return groups.length > 0 ? groups : ["system:unauthenticated"];
  const own =
    groups.length === 0 && namespace !== undefined
      ? ["system:serviceaccounts", `system:serviceaccounts:${namespace}`]
      : groups;
  return own.includes("system:authenticated") ? own : [...own, "system:authenticated"];
}

function check(
  context: Context,
  group: string,
  resource: string,
  name: string,
  namespace = "",
  subresource = "",
): void {
  const { user, services } = context;
  const target = { type: "resource", group, version: "", namespace, resource, subresource, name } as const;
  if (services.authorizer.authorize({ user, verb: "impersonate", target }).allowed) return;
  const scope = namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`;
  const full = subresource === "" ? resource : `${resource}/${subresource}`;
  const why = `User ${JSON.stringify(user.name)} cannot impersonate resource ${JSON.stringify(full)} in API group ${JSON.stringify(group)} ${scope}`;
  throw errors.forbidden({ group, resource }, name, why);
}

/** An empty header counts as absent. */
const given = (header: string | undefined) => (header === "" ? undefined : header);

/** Repeated headers arrive joined by commas. */
function list(header: string | undefined): readonly string[] {
  return header === undefined ? [] : header.split(",").map((one) => one.trim());
}

function extraOf(headers: Readonly<Record<string, string | undefined>>): NonNullable<UserInfo["extra"]> {
  const extra = new Map<string, readonly string[]>();
  for (const header in headers) {
    if (!header.startsWith(extraPrefix)) continue;
    // Two headers may decode to one key.
    const key = unescaped(header.slice(extraPrefix.length));
    extra.set(key, [...(extra.get(key) ?? []), ...list(headers[header])]);
  }
  return Object.fromEntries(extra);
}

/** Decodes a key; an invalid percent-encoding is kept as it is. */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
