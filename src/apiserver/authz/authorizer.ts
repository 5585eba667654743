import type { FieldSelector } from "../../meta/fields.ts";
import type { UserInfo } from "../../meta/exchange.ts";

/** A permission to be checked. Parts that do not apply are empty strings. */
export interface AccessRequest {
  readonly user: UserInfo;
  readonly verb: string;
  readonly target: ResourceAccess | PathAccess;
}

export interface ResourceAccess {
  readonly type: "resource";
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** The field selector of a list, a watch or a deletecollection. */
  readonly fields?: FieldSelector;
}

export interface PathAccess {
  readonly type: "path";
  readonly path: string;
}

export interface Decision {
  readonly allowed: boolean;
  /** The reason for the audit log and for reviews; not part of the error message. */
  readonly reason: string;
}

/**
 * Allows or denies requests. Every request waits for it: `authorize` reads memory only, and is synchronous.
 *
 * Invariants, which the shared suite proves for every implementation:
 * 1. It denies what nothing permits: strangers, names that are empty, names of what every JavaScript object has.
 * 2. A change of the objects that permissions come from counts at the next question after the server has seen it.
 * 3. `authorize` allows whatever a rule of `rulesFor` allows.
 */
export interface Authorizer {
  /** Never throws. A denial is no veto: another authorizer may allow the same request. */
  authorize(request: AccessRequest): Decision;
  /**
   * Returns the rules that apply to the user in a namespace, for escalation checks and rules reviews; an empty namespace
   * stands for the whole cluster. Permissions that depend on an object's state have no rules (upstream's node authorizer).
   */
  rulesFor(user: UserInfo, namespace: string): readonly PolicyRule[];
}

export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}
