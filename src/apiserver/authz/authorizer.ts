import type { FieldSelector } from "../../meta/fields.ts";
import type { UserInfo } from "../../meta/exchange.ts";

/** What somebody wants to do. Empty strings where a part does not apply. */
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
  /** What a list, a watch or the deletion of a collection is narrowed to. */
  readonly fields?: FieldSelector;
}

export interface PathAccess {
  readonly type: "path";
  readonly path: string;
}

export interface Decision {
  readonly allowed: boolean;
  /** For the audit log and for reviews; not part of the refusal's message. */
  readonly reason: string;
}

export interface Authorizer {
  authorize(request: AccessRequest): Decision;
  /** Every rule that holds for the user in a namespace: for escalation checks and rules reviews. */
  rulesFor(user: UserInfo, namespace: string): readonly PolicyRule[];
}

export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}
