import { readFileSync } from "node:fs";

/** The version of Knarr itself, as its package says. */
export function packageVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
}
