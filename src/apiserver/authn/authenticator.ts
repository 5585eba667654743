import type { ApiRequest, UserInfo } from "../../meta/exchange.ts";

/**
 * One way to prove who asks. Authenticators run in order; the first that knows the caller decides.
 * @throws StatusError 401 when credentials of its kind are there and do not hold.
 */
export interface Authenticator {
  readonly name: string;
  authenticate(request: ApiRequest): Promise<UserInfo | undefined> | UserInfo | undefined;
}
