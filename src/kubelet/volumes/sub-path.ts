import { lstatSync, mkdirSync, realpathSync } from "node:fs";
import { dirname, join, normalize, sep } from "node:path";
import { RuntimeError } from "../runtime.ts";

/**
 * A path within a volume, made if need be. A link in the volume that leads out of it is refused: the volume's
 * contents are the workload's, the mount is made by root.
 */
export function subPathWithin(volume: string, subPath: string): string {
  const path = join(volume, normalize(`/${subPath}`));
  if (!exists(path)) mkdirSync(path, { recursive: true, mode: 0o750 });
  const root = realpathSync(volume);
  const real = realpathSync(path);
  if (real === root || real.startsWith(root + sep)) return real;
  throw new RuntimeError(
    "CreateContainerConfigError",
    `subPath ${JSON.stringify(subPath)} leads out of ${dirname(volume)}`,
  );
}

function exists(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
