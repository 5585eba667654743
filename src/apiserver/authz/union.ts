import type { AccessRequest, Authorizer, Decision, PolicyRule } from "./authorizer.ts";
import type { UserInfo } from "../../meta/exchange.ts";

/** Allows every request that any member allows; asks the members in order. */
export class UnionAuthorizer implements Authorizer {
  readonly #members: readonly Authorizer[];

  constructor(members: readonly Authorizer[]) {
    this.#members = members;
  }

  authorize(request: AccessRequest): Decision {
    const reasons: string[] = [];
    for (const member of this.#members) {
      const decision = member.authorize(request);
      if (decision.allowed) return decision;
      if (decision.reason !== "") reasons.push(decision.reason);
    }
    return { allowed: false, reason: reasons.join("\n") };
  }

  rulesFor(user: UserInfo, namespace: string): readonly PolicyRule[] {
    return this.#members.flatMap((member) => member.rulesFor(user, namespace));
  }
}
