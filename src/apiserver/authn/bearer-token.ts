import type { ApiRequest } from "../../meta/exchange.ts";

/**
 * Returns the token of an `Authorization` header, separated by one space as upstream parses it; undefined
 * without one.
 */
export function bearerToken(headers: ApiRequest["headers"]): string | undefined {
  const [scheme = "", token = ""] = (headers["authorization"] ?? "").trim().split(" ", 2);
  return scheme.toLowerCase() === "bearer" && token !== "" ? token : undefined;
}
