import type { ServedResource } from "./served.ts";

/** The object, or the subresource, that a request is about. */
export interface Target {
  readonly resource: ServedResource;
  readonly namespace: string;
  /** Empty for a create on the collection. */
  readonly name: string;
  /** Empty for the object itself. */
  readonly subresource: string;
}
