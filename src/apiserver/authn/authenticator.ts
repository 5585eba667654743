import type { ApiRequest, UserInfo } from "../../meta/exchange.ts";

/** The parts of a request that may hold credentials. */
export interface Credentials extends Pick<ApiRequest, "headers" | "caller"> {
  /** The audiences that a token must be for. Default: the API server. */
  readonly audiences?: readonly string[];
}

/** The authenticated sender of a request. */
export interface Identity {
  readonly user: UserInfo;
  /** The requested audiences that the credentials are for; absent for credentials without audiences. */
  readonly audiences?: readonly string[];
  /** Texts for the `Warning` headers of the answer. */
  readonly warnings?: readonly string[];
}

/**
 * A method of authentication. Authenticators run in order; the first that recognizes the caller decides.
 *
 * Invariants, which the shared suite proves for every implementation:
 * 1. Credentials of other kinds, and none at all, are undefined: they are left to the next authenticator.
 * 2. Invalid credentials of its kind are a StatusError 401 and no other error, whatever the client sent.
 * 3. The user has the groups that the credentials name, and no others: the chain adds `system:authenticated`.
 */
export interface Authenticator {
  readonly name: string;
  /** @throws StatusError 401 when credentials of its kind are there and do not hold. */
  authenticate(request: Credentials): Promise<Identity | undefined> | Identity | undefined;
}
