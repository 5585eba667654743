import { RequestError } from "./errors.ts";

/** A resource's place in the API: all that a request needs to know of its kind. */
export interface ResourceRef {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

export interface Target {
  /** The namespace. Absent: all namespaces, or a resource that has none. */
  readonly namespace?: string | undefined;
  /** The object's name. Absent: the collection. */
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/**
 * Returns a path such as `/apis/apps/v1/namespaces/default/deployments/web/scale`.
 * @throws RequestError for a segment that would change the meaning of the request, such as an empty name.
 */
export function resourcePath(ref: ResourceRef, { namespace, name, subresource }: Target): string {
  const segments = ref.group === "" ? ["api", ref.version] : ["apis", ref.group, ref.version];
  if (ref.namespaced && namespace !== undefined) segments.push("namespaces", segment("namespace", namespace));
  segments.push(ref.plural);
  if (name !== undefined) segments.push(segment("name", name));
  if (subresource !== undefined) segments.push(segment("subresource", subresource));
  return `/${segments.map(encodeURIComponent).join("/")}`;
}

/**
 * Refuses an empty name, which would turn "delete this one" into "delete all", and `..`, which would leave the path.
 */
function segment(what: string, value: string): string {
  if (value === "" || value === "." || value === ".." || /[/%]/.test(value)) {
    throw new RequestError(
      `Cannot address a resource: ${what} ${JSON.stringify(value)} is not allowed in a path`,
    );
  }
  return value;
}
