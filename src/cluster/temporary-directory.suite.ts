import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";

/** A directory of its own for each test. */
export function useDirectory(): { readonly path: string; in(...names: readonly string[]): string } {
  let path = "";
  beforeEach(() => {
    path = mkdtempSync(join(tmpdir(), "knarr-cluster-test-"));
  });
  afterEach(() => rmSync(path, { recursive: true }));
  return {
    get path() {
      return path;
    },
    in: (...names) => join(path, ...names),
  };
}
