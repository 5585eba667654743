import type { UserInfo } from "../../meta/exchange.ts";
import type { AdmissionPlugin } from "../admission/plugin.ts";
import type { Services } from "../services.ts";
import { Pace } from "./pace.ts";

/** The caller of the registry: the parts of a request that operations on objects need. */
export interface Scope {
  readonly services: Services;
  readonly user: UserInfo;
  /** The request's verb as authorization names it. */
  readonly verb: string;
  /** The plugins for a write, in their order. */
  readonly admission: readonly AdmissionPlugin[];
  /** Adds a text to the `Warning` headers; each text is sent once. */
  readonly warn: (text: string) => void;
  /** Fires when the answer is no longer needed. */
  readonly signal: AbortSignal;
  readonly pace: Pace;
}

/** The server itself, for its own writes. */
const serverUser: UserInfo = {
  name: "system:apiserver",
  groups: ["system:masters", "system:authenticated"],
};

/** Returns the scope of the server's own writes, which skip admission, as upstream. */
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
