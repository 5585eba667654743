import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The built command in a folder of its own, as users run it: in a checkout, `knarr` strips types at its start. */
export interface Installed {
  /** The path of the program. */
  readonly knarr: string;
  /** The path of a cluster's data, which does not exist yet. */
  readonly data: string;
  readonly remove: () => void;
}

export function install(): Installed {
  const root = join(import.meta.dirname, "..");
  const folder = mkdtempSync(join(tmpdir(), "knarr-bench-"));
  execFileSync(process.execPath, [join(root, "tools/bundle.ts"), join(folder, "dist/bundle")]);
  for (const part of ["bin", "native/init", "package.json"])
    cpSync(join(root, part), join(folder, part), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return {
    knarr: join(folder, "bin/knarr.js"),
    data: join(folder, "data"),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
