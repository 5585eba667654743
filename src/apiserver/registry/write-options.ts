import type { AccessRequest } from "../authz/authorizer.ts";
import type { Shown } from "../resources/served.ts";

export interface WriteOptions {
  readonly dryRun: boolean;
  /** The owner of what is written. */
  readonly fieldManager: string;
  /** Set by server-side apply, which works out the owners itself, and where nobody is to own what is written. */
  readonly ownsFields?: boolean;
  /** The permission that a create needs when it was asked for as an update or apply of an absent object. */
  readonly createAccess?: AccessRequest;
}

/** A write's outcome. */
export interface Written extends Shown {
  readonly created: boolean;
}
