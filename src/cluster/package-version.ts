import { readFileSync } from "node:fs";
import { packageRoot } from "../util/package-root.ts";

/** Returns the version in Knarr's package.json. */
export function packageVersion(): string {
  const text = readFileSync(new URL("package.json", packageRoot), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
}
