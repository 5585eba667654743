import type { ApiRequest, UserInfo } from "../../meta/exchange.ts";

/** Where a request says who sends it. */
export interface Credentials extends Pick<ApiRequest, "headers" | "caller"> {
  /** For whom tokens must have been made. Default: the API server. */
  readonly audiences?: readonly string[];
}

/** Who sends a request. */
export interface Identity {
  readonly user: UserInfo;
  /** Which of the audiences asked for the credentials were made for; absent for those that name none. */
  readonly audiences?: readonly string[];
}

/**
 * One way to prove who asks. Authenticators run in order; the first that knows the caller decides.
 * @throws StatusError 401 when credentials of its kind are there and do not hold.
 */
export interface Authenticator {
  readonly name: string;
  authenticate(request: Credentials): Promise<Identity | undefined> | Identity | undefined;
}
