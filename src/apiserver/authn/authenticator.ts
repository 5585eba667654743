import type { ApiRequest, UserInfo } from "../../meta/exchange.ts";

/** Where a request says who sends it. */
export type Credentials = Pick<ApiRequest, "headers" | "caller">;

/**
 * One way to prove who asks. Authenticators run in order; the first that knows the caller decides.
 * @throws StatusError 401 when credentials of its kind are there and do not hold.
 */
export interface Authenticator {
  readonly name: string;
  authenticate(request: Credentials): Promise<UserInfo | undefined> | UserInfo | undefined;
}
