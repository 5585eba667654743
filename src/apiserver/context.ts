import type { ApiRequest, ApiResponse, UserInfo } from "../meta/exchange.ts";
import type { Scope } from "./registry/scope.ts";
import type { RequestInfo } from "./request-info.ts";

/** The state of one request, which the chain's steps fill in, in order. */
export interface Context extends Scope {
  readonly request: ApiRequest;
  readonly auditId: string;
  readonly info: RequestInfo;
  /** `nobody` until `authenticate` has run. */
  user: UserInfo;
  /** Texts for `Warning` headers. */
  readonly warnings: ReadonlySet<string>;
}

/** A step of the chain, which answers or calls the next. It may also throw synchronously. */
export type Step = (context: Context, next: () => Promise<ApiResponse>) => Promise<ApiResponse>;

/** The user before authentication. */
export const nobody: UserInfo = { name: "", groups: [] };
