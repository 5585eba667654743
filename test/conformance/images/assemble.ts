import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ImageStore } from "../../../src/kubelet/images/image-store.ts";
import { systemClock } from "../../../src/util/clock.ts";
import { silentLogger } from "../../../src/util/logger.ts";
import { systemRandom } from "../../../src/util/random.ts";
import { type TestImage, testImages } from "./names.ts";

/**
 * Makes an image store of the tests' images: assemble.ts FOLDER. Input: `programs/`, `debian/` and `busybox/` in the
 * folder. Output: `store/` there, in the form of a node's `images` directory.
 */
const [folder = "."] = process.argv.slice(2);
const module = execFileSync("go", ["list", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes"], {
  encoding: "utf8",
});

const busybox = join(folder, "busybox");
const applets = execFileSync("chroot", [busybox, "/bin/busybox", "--list"], { encoding: "utf8" });
for (const applet of applets.trim().split("\n")) {
  rmSync(join(busybox, "bin", applet), { force: true });
  if (applet !== "sh") symlinkSync("busybox", join(busybox, "bin", applet));
}
for (const root of [busybox, join(folder, "debian")]) addUser(root);

const directory = join(folder, "store");
rmSync(directory, { recursive: true, force: true });
const store = await ImageStore.open({
  directory,
  env: { clock: systemClock, random: systemRandom, log: silentLogger },
});
const layer = join(folder, "layer");
for (const image of testImages) {
  writeLayer(image);
  const { name: tag, base, config = {} } = image;
  await store.build({ folder: layer, tag, config, ...(base === undefined ? {} : { base }) });
}
rmSync(layer, { recursive: true });

function writeLayer({ files = {}, texts = {}, links = {}, modes = {} }: TestImage): void {
  rmSync(layer, { recursive: true, force: true });
  mkdirSync(layer);
  for (const [path, from] of Object.entries(files)) {
    const source = from.startsWith("module:") ? join(module.trim(), from.slice(7)) : join(folder, from);
    cpSync(source, join(layer, path), { recursive: true, verbatimSymlinks: true });
  }
  for (const [path, text] of Object.entries(texts)) writeFileSync(parentOf(path), text);
  for (const [path, target] of Object.entries(links)) symlinkSync(target, parentOf(path));
  for (const [path, mode] of Object.entries(modes)) {
    if (!Object.hasOwn({ ...files, ...texts }, path)) mkdirSync(join(layer, path), { recursive: true });
    chmodSync(join(layer, path), mode);
  }
}

function parentOf(path: string): string {
  mkdirSync(dirname(join(layer, path)), { recursive: true });
  return join(layer, path);
}

/** Adds the user and the group that the tests of supplemental groups expect in an image. */
function addUser(root: string): void {
  const append = (file: string, line: string) => writeFileSync(join(root, file), `${line}\n`, { flag: "a" });
  append("etc/passwd", "user-defined-in-image:x:1000:1000::/:/bin/sh");
  append("etc/group", "user-defined-in-image:x:1000:");
  append("etc/group", "group-defined-in-image:x:50000:user-defined-in-image");
}
