import type { KubeObject } from "../../meta/kind.ts";
import type { AccessRequest } from "../authz/authorizer.ts";
import type { Shown } from "../resources/served.ts";

export interface WriteOptions {
  readonly dryRun: boolean;
  /** The owner of the written fields. */
  readonly fieldManager: string;
  /** Set by server-side apply, which computes the owners itself, and for writes that have no owner. */
  readonly ownsFields?: boolean;
  /** The permission for a create that was requested as an update or apply of an absent object. */
  readonly createAccess?: AccessRequest;
}

/** The outcome of a write. */
export interface Written extends Shown {
  readonly created: boolean;
}

/** The outcome of a write of one kind. */
export interface WrittenOf<O extends object> extends Written {
  readonly object: KubeObject<O>;
}
