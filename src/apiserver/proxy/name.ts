import { errors } from "../../meta/status.ts";

/** The name in a proxied path: `name`, `name:port` or `scheme:name:port`. */
export interface ProxyName {
  readonly isTls: boolean;
  readonly name: string;
  /** A number or a Service port's name; empty for the default. */
  readonly port: string;
}

/** Parses a name (apimachinery `SplitSchemeNamePort`). @throws StatusError 400 */
export function parseProxyName(what: "node" | "pod" | "service", id: string): ProxyName {
  const parts = id.split(":");
  const [scheme = "", name = "", port = ""] = parts.length === 3 ? parts : ["", ...parts];
  const isKnown = scheme === "" || scheme === "http" || scheme === "https";
  if (parts.length > 3 || name === "" || !isKnown)
    throw errors.badRequest(`invalid ${what} request ${JSON.stringify(id)}`);
  return { isTls: scheme === "https", name, port };
}
