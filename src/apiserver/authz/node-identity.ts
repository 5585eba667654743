import type { UserInfo } from "../../meta/exchange.ts";

const prefix = "system:node:";

/**
 * Returns the name of the node whose agent the user is: empty for an agent without a node name, which is
 * denied everything; undefined for any other user (upstream `auth/nodeidentifier`).
 */
export function nodeNameOf({ name, groups }: UserInfo): string | undefined {
  return name.startsWith(prefix) && groups.includes("system:nodes") ? name.slice(prefix.length) : undefined;
}
