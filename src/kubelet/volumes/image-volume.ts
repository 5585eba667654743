import { mkdir } from "node:fs/promises";
import { join, relative } from "node:path";
import type { ImageLayers } from "../runtime.ts";
import { isMountPoint, mount } from "./mounts.ts";

/**
 * Mounts the layers of an image below a directory, read-only and without executable files (KEP-4639), once. Each image
 * has a mount of its own, because a container that starts later may find another image under the same reference.
 * Returns the mount point.
 */
export async function mountImage(directory: string, layers: ImageLayers): Promise<string> {
  const own = join(directory, layers.id.replace(/^sha256:/, "").slice(0, 12));
  const [target, empty] = [join(own, "mount"), join(own, "empty")];
  if (await isMountPoint(target)) return target;
  for (const one of [target, empty]) await mkdir(one, { recursive: true, mode: 0o755 });
  // An overlay that nobody writes has at least two layers. Relative paths leave out what separates paths in options.
  const lower = [...layers.names, relative(layers.directory, empty)].join(":");
  const options = [`lowerdir=${lower}`, "ro", "nosuid", "nodev", "noexec"];
  if (layers.names.length > 0) await mount("overlay", "overlay", target, options, { cwd: layers.directory });
  return target;
}
