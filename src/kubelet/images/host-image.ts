import { chmod, copyFile, cp, lstat, mkdir, readlink, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { emptyImageConfig, type ImageBind, type ImageConfig } from "./image.ts";
import { table } from "../../util/table.ts";

/** The built-in image: this machine's own programs, isolated from its data. */
export const hostReference = "knarr.local/host:latest";

/** Where the Node.js that runs Knarr appears; first in `PATH`, so that it wins over a host's older one. */
const nodePath = "/opt/knarr/bin/node";

/** Programs and libraries. Read-only binds where they are directories, links where the host has links. */
const programs = ["usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32"];

/** What programs expect of `/etc` and what names nothing private: copied when the host has it. */
const configuration = [
  "etc/ld.so.cache",
  "etc/ld-musl-x86_64.path",
  "etc/ld-musl-aarch64.path",
  "etc/protocols",
  "etc/services",
  "etc/mime.types",
  "etc/alternatives",
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
 * Lays the image's one layer out in `workshop/root`. An allow-list: what is not named here (homes, `/var`, keys,
 * Knarr's own data) does not exist inside.
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
    const stat = await lstat(`/${name}`).catch(() => undefined);
    if (stat?.isSymbolicLink()) await symlink(await readlink(`/${name}`), join(root, name));
    if (!stat?.isDirectory()) continue;
    await mkdir(join(root, name));
    binds.push({ hostPath: `/${name}`, containerPath: `/${name}` });
  }
  for (const path of configuration) await copyIfPresent(`/${path}`, join(root, path));
  for (const [path, content] of Object.entries(synthetic)) await writeNew(join(root, path), content);
  await writeNew(join(root, nodePath), "");
  binds.push({ hostPath: process.execPath, containerPath: nodePath });
  const path = `${dirname(nodePath)}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`;
  return { binds, config: { ...emptyImageConfig, env: [`PATH=${path}`], cmd: ["/bin/sh"], workingDir: "/" } };
}

async function copyIfPresent(from: string, to: string): Promise<void> {
  const stat = await lstat(from).catch(() => undefined);
  if (stat === undefined) return;
  await mkdir(dirname(to), { recursive: true });
  if (stat.isDirectory()) await cp(from, to, { recursive: true, verbatimSymlinks: true });
  else await copyFile(from, to).catch(() => {}); // A dangling link: the host lacks it as well.
}

async function writeNew(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content, { mode: 0o644 });
  await chmod(path, 0o644);
}
