import type { UserInfo } from "../../meta/exchange.ts";
import type { Context } from "../context.ts";
import type { Services } from "../services.ts";

/** The server itself, when it writes what it has found out. */
const serverUser: UserInfo = {
  name: "system:apiserver",
  groups: ["system:masters", "system:authenticated"],
};

/** For the registry's functions when no client asks. Such writes meet no admission, as upstream's go past it. */
export function internalContext(services: Services): Context {
  return {
    request: {
      method: "PUT",
      path: "",
      query: new URLSearchParams(),
      headers: {},
      body: { type: "none" },
      caller: { type: "component", user: serverUser },
      signal: new AbortController().signal,
    },
    services: { ...services, admission: [] },
    auditId: "",
    info: { verb: "update", path: "", resource: undefined },
    user: serverUser,
    warnings: new Set(),
  };
}
