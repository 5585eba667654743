import type { UserInfo } from "../../meta/exchange.ts";
import type { AdmissionPlugin } from "../admission/plugin.ts";
import type { Services } from "../services.ts";
import { Pace } from "./pace.ts";

/** The caller of the registry: all that an operation on objects knows of the request it is part of. */
export interface Scope {
  readonly services: Services;
  readonly user: UserInfo;
  /** The request's verb, in the words of authorization. */
  readonly verb: string;
  /** The plugins that a write meets, in their order. */
  readonly admission: readonly AdmissionPlugin[];
  /** Adds a text to the `Warning` headers; each text is sent once. */
  readonly warn: (text: string) => void;
  /** Fires when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  readonly pace: Pace;
}

/** The server itself, when it writes what it has found out. */
const serverUser: UserInfo = {
  name: "system:apiserver",
  groups: ["system:masters", "system:authenticated"],
};

/** The scope of the server's own writes: they meet no admission, as upstream's. */
export function internalScope(services: Services): Scope {
  return {
    services,
    user: serverUser,
    verb: "update",
    admission: [],
    warn: () => {},
    signal: new AbortController().signal,
    pace: new Pace(),
  };
}
