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
}

/**
 * A method of authentication. Authenticators run in order; the first that recognizes the caller decides.
 * @throws StatusError 401 when credentials of its kind are present and invalid.
 */
export interface Authenticator {
  readonly name: string;
  authenticate(request: Credentials): Promise<Identity | undefined> | Identity | undefined;
}
