import type { UserInfo } from "../../meta/exchange.ts";
import type { Services } from "../services.ts";
import type { Credentials } from "./authenticator.ts";

const authenticatedGroup = "system:authenticated";

export const anonymous: UserInfo = { name: "system:anonymous", groups: ["system:unauthenticated"] };

/** The first authenticator that knows the caller decides; nobody's caller is anonymous, who may do next to nothing. */
export async function authenticateRequest(request: Credentials, services: Services): Promise<UserInfo> {
  for (const authenticator of services.authenticators) {
    const asked = authenticator.authenticate(request);
    const user = asked instanceof Promise ? await asked : asked;
    if (user !== undefined) return withAuthenticated(user);
  }
  return anonymous;
}

function withAuthenticated(user: UserInfo): UserInfo {
  if (user.groups.includes(authenticatedGroup) || user.name === anonymous.name) return user;
  return { ...user, groups: [...user.groups, authenticatedGroup] };
}
