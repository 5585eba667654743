import { lstatSync, readlinkSync, statSync } from "node:fs";
import { chmod, copyFile, lstat, mkdir, readlink, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { sha256 } from "./digest.ts";
import { emptyImageConfig, type ImageBind, type ImageConfig } from "./image.ts";
import { table } from "../../util/table.ts";

/** The built-in image: this machine's programs without its data. */
export const hostReference = "knarr.local/host:latest";

/** The path of Knarr's Node.js in the image; first in `PATH`, before a possibly older one of the host. */
const nodePath = "/opt/knarr/bin/node";

/** Programs and libraries. Directories are bound read-only; the host's links become links. */
const programs = ["usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "etc/alternatives"];

/** Files that programs expect in `/etc` and that contain nothing private; existing ones are copied. */
const configuration = [
  "etc/ld.so.cache",
  "etc/ld-musl-x86_64.path",
  "etc/ld-musl-aarch64.path",
  "etc/protocols",
  "etc/services",
  "etc/mime.types",
  "etc/ssl/certs/ca-certificates.crt",
  "etc/ssl/cert.pem",
  "etc/ssl/openssl.cnf",
  "etc/pki/tls/certs/ca-bundle.crt",
  "etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
];

const synthetic: Readonly<Record<string, string>> = table({
  "etc/passwd":
    "root:x:0:0:root:/root:/bin/sh\n" +
    "daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n" +
    "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
  "etc/group": "root:x:0:\ndaemon:x:1:\ntty:x:5:\nnogroup:x:65534:\n",
  "etc/nsswitch.conf": "passwd: files\ngroup: files\nshadow: files\nhosts: files dns\n",
});

const emptyDirectories: Readonly<Record<string, number>> = table({
  dev: 0o755,
  proc: 0o555,
  sys: 0o555,
  run: 0o755,
  root: 0o700,
  home: 0o755,
  tmp: 0o1777,
  "var/tmp": 0o1777,
  "var/log": 0o755,
});

/**
 * Writes the image's single layer to `workshop/root`. It is an allow-list: paths that are not named here
 * (homes, `/var`, keys, Knarr's own data) do not exist in the image.
 */
export async function hostImage(
  workshop: string,
): Promise<{ config: ImageConfig; binds: readonly ImageBind[] }> {
  const root = join(workshop, "root");
  const binds: ImageBind[] = [];
  for (const [path, mode] of Object.entries(emptyDirectories)) {
    await mkdir(join(root, path), { recursive: true });
    await chmod(join(root, path), mode);
  }
  for (const name of programs) {
    const present = await lstat(`/${name}`).catch(() => undefined);
    if (present?.isSymbolicLink()) await symlink(await readlink(`/${name}`), join(root, name));
    if (!present?.isDirectory()) continue;
    await mkdir(join(root, name), { recursive: true });
    binds.push({ hostPath: `/${name}`, containerPath: `/${name}` });
  }
  for (const path of configuration) await copyIfPresent(`/${path}`, join(root, path));
  for (const [path, content] of Object.entries(synthetic)) await writeNew(join(root, path), content);
  await writeNew(join(root, nodePath), "");
  binds.push({ hostPath: process.execPath, containerPath: nodePath });
  const path = `${dirname(nodePath)}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`;
  return { binds, config: { ...emptyImageConfig, env: [`PATH=${path}`], cmd: ["/bin/sh"], workingDir: "/" } };
}

/**
 * Returns a digest of the inputs of `hostImage`: an image with the same digest is up to date. Directories are
 * bound, so that their content is always the host's present content. For copied files the inode and its
 * change time stand for the content, because every write changes them.
 */
export function hostFingerprint(): string {
  const paths = [...programs, ...configuration].map((path) => `/${path}`);
  const found = [...paths, process.execPath].map(describe);
  return sha256(JSON.stringify([process.execPath, nodePath, found, synthetic, emptyDirectories]));
}

/** Synchronous: it takes a few microseconds, less than a round trip to another thread. */
function describe(path: string): readonly string[] {
  const own = lstatSync(path, { throwIfNoEntry: false });
  const link = own?.isSymbolicLink() ? readlinkSync(path) : "";
  const target = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (target === undefined || target.isDirectory()) return [path, link, String(target !== undefined)];
  return [path, link, ...[target.dev, target.ino, target.size, target.ctimeNs].map(String)];
}

async function copyIfPresent(from: string, to: string): Promise<void> {
  const present = await stat(from).catch(() => undefined); // A dangling link of the host stays one in the image.
  if (present?.isFile() !== true) return;
  await mkdir(dirname(to), { recursive: true });
  await copyFile(from, to);
}

async function writeNew(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content, { mode: 0o644 });
  await chmod(path, 0o644);
}
