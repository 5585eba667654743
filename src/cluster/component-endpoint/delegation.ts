import { anonymous } from "../../apiserver/authn/authenticate.ts";
import { bearerToken } from "../../apiserver/authn/bearer-token.ts";
import { certificateAuthenticator } from "../../apiserver/authn/caller.ts";
import { refusal } from "../../apiserver/authz/refusal.ts";
import type { Client } from "../../client/client.ts";
import type { ApiRequest, UserInfo } from "../../meta/exchange.ts";
import { errors } from "../../meta/status.ts";
import type { Clock } from "../../util/clock.ts";
import { Reviews } from "./reviews.ts";

export interface DelegationOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Paths that everybody may get; a path that ends with `*` stands for all that begin so. */
  readonly alwaysAllowed: readonly string[];
}

const authenticatedGroup = "system:authenticated";
const privilegedGroup = "system:masters";

/**
 * Asks the API server about the callers of a component's own endpoints: tokens by TokenReview, and permissions by
 * SubjectAccessReview (apiserver `authenticatorfactory/delegating.go` and `authorizerfactory/delegating.go`).
 */
export class Delegation {
  readonly #alwaysAllowed: readonly string[];
  readonly #reviews: Reviews;

  constructor({ client, clock, alwaysAllowed }: DelegationOptions) {
    this.#alwaysAllowed = alwaysAllowed;
    this.#reviews = new Reviews(client, clock);
  }

  /** Admits a request, or throws. @throws StatusError 401 for invalid credentials, 403 without the permission */
  async admit(request: ApiRequest): Promise<void> {
    const user = await this.#authenticate(request);
    const { path } = request;
    if (user.groups.includes(privilegedGroup) || this.#alwaysAllowed.some((one) => matches(one, path)))
      return;
    const verb = request.method.toLowerCase();
    if (!(await this.#reviews.isAllowed(user, { nonResourceAttributes: { path, verb } })))
      throw refusal({ user, verb, target: { type: "path", path } });
  }

  async #authenticate(request: ApiRequest): Promise<UserInfo> {
    const token = bearerToken(request.headers);
    const user = token === undefined ? await certified(request) : await this.#reviews.userOf(token);
    if (user === undefined) {
      if (token !== undefined) throw errors.unauthorized();
      return anonymous;
    }
    const { groups } = user;
    return groups.includes(authenticatedGroup) ? user : { ...user, groups: [...groups, authenticatedGroup] };
  }
}

async function certified(request: ApiRequest): Promise<UserInfo | undefined> {
  return (await certificateAuthenticator.authenticate(request))?.user;
}

/** Reports whether a path is one of the allowed ones (apiserver `authorization/path`). */
function matches(allowed: string, path: string): boolean {
  return allowed.endsWith("*") ? path.startsWith(allowed.slice(0, -1)) : path === allowed;
}
