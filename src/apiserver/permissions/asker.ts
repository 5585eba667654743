import type { Kind, KubeObject } from "../../meta/kind.ts";
import type { Target } from "../resources/target.ts";
import type { UserInfo } from "../../meta/exchange.ts";
import type { Services } from "../services.ts";

/** The user whose permissions are checked, and the verb of the request. */
export interface Asker {
  readonly services: Services;
  readonly user: UserInfo;
  readonly verb: string;
}

/** An object to be written. */
export interface Change<T extends KubeObject = KubeObject> {
  readonly target: Target;
  readonly object: T;
  /** Undefined for a create. */
  readonly old: T | undefined;
}

/** Returns the change with the types of a kind; undefined if its resource has another kind. */
export function changeOf<O extends object, I extends object>(
  kind: Kind<O, I>,
  change: Change,
): Change<KubeObject<O>> | undefined {
  // Safe: the kind's schema has decoded both objects.
  return change.target.resource.kind === kind ? (change as Change<KubeObject<O>>) : undefined;
}
