import type { UserInfo } from "../../meta/exchange.ts";

const prefix = "system:node:";

/** The node that a user is the agent of; undefined for anybody else (`nodeidentifier`). */
export function nodeNameOf({ name, groups }: UserInfo): string | undefined {
  if (!name.startsWith(prefix) || name === prefix || !groups.includes("system:nodes")) return undefined;
  return name.slice(prefix.length);
}
