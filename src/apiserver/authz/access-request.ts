import { type FieldSelector, parseFieldSelector } from "../../meta/fields.ts";
import type { Context } from "../context.ts";
import type { AccessRequest } from "./authorizer.ts";
import { refusal } from "./refusal.ts";

/** @throws StatusError 403 with the missing permission. */
export function requireAccess(context: Context, request: AccessRequest): void {
  const { allowed } = context.services.authorizer.authorize(request);
  if (!allowed) throw refusal(request);
}

export function accessRequest({ user, info, request }: Context): AccessRequest {
  if (info.resource === undefined)
    return { user, verb: info.verb, target: { type: "path", path: info.path } };
  const { rest: _, ...resource } = info.resource;
  const target = { type: "resource", ...resource } as const;
  const fields = selecting.has(info.verb) ? fieldsOf(request.query) : undefined;
  if (fields === undefined) return { user, verb: info.verb, target };
  // A list or watch of one name requires only the permission for that name.
  const isNamed = resource.name !== "" || info.verb === "deletecollection";
  const name = isNamed ? resource.name : (fields.exactValue("metadata.name") ?? "");
  return { user, verb: info.verb, target: { ...target, name, fields } };
}

/** The verbs that a field selector restricts. */
const selecting = new Set(["list", "watch", "deletecollection"]);

function fieldsOf(query: URLSearchParams): FieldSelector | undefined {
  const selector = query.get("fieldSelector");
  if (selector === null) return undefined;
  try {
    return parseFieldSelector(selector);
  } catch {
    // Only clients with the permission get the error of an invalid selector.
    return undefined;
  }
}

/** Returns the permission that an update or apply needs when it creates the object. */
export function createAccess(context: Context): AccessRequest {
  return { ...accessRequest(context), verb: "create" };
}
