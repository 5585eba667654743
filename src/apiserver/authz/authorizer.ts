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

export interface Authorizer {
  authorize(request: AccessRequest): Decision;
  /** Returns every rule that applies to the user in a namespace, for escalation checks and rules reviews. */
  rulesFor(user: UserInfo, namespace: string): readonly PolicyRule[];
}

export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}
