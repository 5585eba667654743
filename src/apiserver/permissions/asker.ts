import type { UserInfo } from "../../meta/exchange.ts";
import type { Services } from "../services.ts";

/** The user whose permissions are checked, and the verb of the request. */
export interface Asker {
  readonly services: Services;
  readonly user: UserInfo;
  readonly verb: string;
}
