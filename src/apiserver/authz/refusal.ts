import { errors, type StatusError } from "../../meta/status.ts";
import type { AccessRequest } from "./authorizer.ts";

/** Returns the error for a denied request. */
export function refusal({ user, verb, target }: AccessRequest): StatusError {
  const who = `User ${JSON.stringify(user.name)} cannot ${verb}`;
  if (target.type === "path") {
    return errors.forbidden({ group: "", resource: "" }, "", `${who} path ${JSON.stringify(target.path)}`);
  }
  const { group, resource, subresource, namespace, name } = target;
  const full = subresource === "" ? resource : `${resource}/${subresource}`;
  const scope = namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`;
  const why = `${who} resource ${JSON.stringify(full)} in API group ${JSON.stringify(group)} ${scope}`;
  return errors.forbidden({ group, resource }, name, why);
}
