import { anonymous } from "../apiserver/authn/authenticate.ts";
import { bearerToken } from "../apiserver/authn/bearer-token.ts";
import type { Access } from "../kubelet/server/access.ts";
import type { Client } from "../client/client.ts";
import type { ApiRequest, UserInfo } from "../meta/exchange.ts";
import type { Clock } from "../util/clock.ts";
import { Reviews } from "./component-endpoint/reviews.ts";

/** The settings of the kubelet's callers, as KubeletConfiguration has them. */
export interface KubeletAccessOptions {
  /** Callers without credentials are `system:anonymous`. */
  readonly anonymous: boolean;
  /** Tokens are reviewed by the API server. */
  readonly tokens: boolean;
  readonly authorization: "Webhook" | "AlwaysAllow";
}

/** Upstream's defaults for a kubelet with a configuration. */
export const defaultAccess: KubeletAccessOptions = {
  anonymous: false,
  tokens: true,
  authorization: "Webhook",
};

const authenticatedGroup = "system:authenticated";

/** Knows callers by client certificate or token, and asks the API server for permissions (kubelet `app/auth.go`). */
export function kubeletAccess(client: Client, clock: Clock, options: KubeletAccessOptions): Access {
  const reviews = new Reviews(client, clock);
  return {
    async authenticate(request) {
      const certified = certificateUser(request);
      if (certified === "rejected") return undefined;
      const token = options.tokens ? bearerToken(request.headers) : undefined;
      const user = certified ?? (token === undefined ? undefined : await reviews.userOf(token));
      if (user === undefined) return options.anonymous && token === undefined ? anonymous : undefined;
      const { groups } = user;
      return groups.includes(authenticatedGroup)
        ? user
        : { ...user, groups: [...groups, authenticatedGroup] };
    },
    isAllowed(user, { verb, node, subresource }) {
      if (options.authorization === "AlwaysAllow") return Promise.resolve(true);
      const resourceAttributes = {
        verb,
        group: "",
        version: "v1",
        resource: "nodes",
        subresource,
        name: node,
      };
      return reviews.isAllowed(user, { resourceAttributes });
    },
  };
}

/** Returns the user of a client certificate. The API server's certificate for kubelets is one, unlike at the API server. */
function certificateUser({ caller }: ApiRequest): UserInfo | "rejected" | undefined {
  if (caller.type !== "connection" || caller.certificate === undefined) return undefined;
  if (caller.certificate === "rejected") return "rejected";
  const { commonName, organizations } = caller.certificate;
  return commonName === "" ? undefined : { name: commonName, groups: organizations };
}
