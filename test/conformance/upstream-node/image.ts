import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const image = "example.test/busybox:1";

const tools = ["cat", "echo", "head", "httpd", "sh", "sleep", "wc"];

/** Writes an image of a static busybox, as `docker save` does. Its command sleeps, so that it serves as a sandbox, too. */
export function writeImage(directory: string, busybox: string): string {
  const root = join(directory, "root");
  for (const folder of ["bin", "etc", "proc", "sys", "dev", "tmp", "www"])
    mkdirSync(join(root, folder), { recursive: true });
  copyFileSync(busybox, join(root, "bin/busybox"));
  for (const tool of tools) symlinkSync("busybox", join(root, "bin", tool));
  writeFileSync(join(root, "www/index.html"), "hello from the Pod\n");
  const layer = join(directory, "layer.tar");
  execFileSync("tar", ["--owner=0", "--group=0", "-cf", layer, "-C", root, "."]);
  const digest = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
  const configuration = Buffer.from(
    JSON.stringify({
      architecture: process.arch === "x64" ? "amd64" : process.arch,
      os: "linux",
      config: { Cmd: ["sleep", "1000000"], Env: ["PATH=/bin"] },
      rootfs: { type: "layers", diff_ids: [`sha256:${digest(readFileSync(layer))}`] },
    }),
  );
  const name = `${digest(configuration)}.json`;
  writeFileSync(join(directory, name), configuration);
  const manifest = [{ Config: name, RepoTags: [image], Layers: ["layer.tar"] }];
  writeFileSync(join(directory, "manifest.json"), JSON.stringify(manifest));
  const archive = join(directory, "image.tar");
  execFileSync("tar", ["-cf", archive, "-C", directory, name, "layer.tar", "manifest.json"]);
  return archive;
}
