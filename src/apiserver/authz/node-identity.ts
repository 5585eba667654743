import type { UserInfo } from "../../meta/exchange.ts";

const prefix = "system:node:";

/**
 * The node that a user is the agent of: empty for an agent of no node in particular, which may do nothing;
 * undefined for anybody else (upstream `auth/nodeidentifier`).
 */
export function nodeNameOf({ name, groups }: UserInfo): string | undefined {
  return name.startsWith(prefix) && groups.includes("system:nodes") ? name.slice(prefix.length) : undefined;
}
