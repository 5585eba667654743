import type { ApiRequest, ApiResponse, UserInfo } from "../meta/exchange.ts";
import type { Scope } from "./registry/scope.ts";
import type { RequestInfo } from "./request-info.ts";

/** What is known of one request; the chain's steps fill it in, in order. */
export interface Context extends Scope {
  readonly request: ApiRequest;
  readonly auditId: string;
  readonly info: RequestInfo;
  /** Nobody until `authenticate` has run. */
  user: UserInfo;
  /** Texts for `Warning` headers. */
  readonly warnings: ReadonlySet<string>;
}

/** One step of the chain: answers itself, or lets the rest answer. May also throw at once. */
export type Step = (context: Context, next: () => Promise<ApiResponse>) => Promise<ApiResponse>;

/** Nobody, before authentication. */
export const nobody: UserInfo = { name: "", groups: [] };
