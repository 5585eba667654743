import type { UserInfo } from "../../meta/exchange.ts";
import { StatusError } from "../../meta/status.ts";
import type { Services } from "../services.ts";
import type { Credentials, Identity } from "./authenticator.ts";

const authenticatedGroup = "system:authenticated";

export const anonymous: UserInfo = { name: "system:anonymous", groups: ["system:unauthenticated"] };

/**
 * The first authenticator that recognizes the caller decides. Without any, the caller is anonymous.
 * @throws StatusError 401 when credentials are present and none is valid.
 */
export async function authenticateRequest(request: Credentials, services: Services): Promise<Identity> {
  let refused: StatusError | undefined;
  for (const authenticator of services.authenticators) {
    try {
      const asked = authenticator.authenticate(request);
      const identity = asked instanceof Promise ? await asked : asked;
      if (identity !== undefined) return { ...identity, user: withAuthenticated(identity.user) };
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      refused ??= error;
    }
  }
  if (refused !== undefined) throw refused;
  return { user: anonymous };
}

function withAuthenticated(user: UserInfo): UserInfo {
  if (user.groups.includes(authenticatedGroup) || user.name === anonymous.name) return user;
  return { ...user, groups: [...user.groups, authenticatedGroup] };
}
