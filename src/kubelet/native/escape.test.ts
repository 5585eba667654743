import { closeSync, fstatSync, readdirSync, readlinkSync, symlinkSync } from "node:fs";
import { chmod, mkdir, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { containerConfig, inState, logged } from "../runtime.suite.ts";
import type { Mount } from "../runtime.ts";
import { openTrusted } from "../safe-path/descriptors.ts";
import { openSubPath, prepareSubPath } from "../safe-path/sub-path.ts";
import { nativeUnavailable } from "./native-runtime.ts";
import { hostImageName, useNative } from "./native.suite.ts";

const unavailable = nativeUnavailable();
const title = unavailable === undefined ? "native escapes" : `native escapes: ${unavailable}`;

describe.skipIf(unavailable !== undefined)(title, () => {
  const native = useNative();
  let volume: string;
  /** A directory of the host that no container may see or write to. */
  let outside: string;
  let rounds = 0;

  beforeEach(async () => {
    const directory = join(native.under.directory, `escape-${rounds++}`);
    volume = join(directory, "volume");
    outside = join(directory, "outside");
    for (const path of [volume, outside]) await mkdir(path, { recursive: true });
    await chmod(volume, 0o777);
    await writeFile(join(outside, "secret"), "s3cret");
  });

  const mount = (containerPath: string, more: Partial<Mount> = {}): Mount => ({
    hostPath: volume,
    containerPath,
    readOnly: false,
    propagation: "None",
    ...more,
  });
  const climb = () => `${"../".repeat(30)}${outside.slice(1)}`;

  test("a container that swaps a directory and a link in its volume opens no host path to another's subPath", async () => {
    const sandbox = await native.runSandbox();
    // Directory, link to the host, nothing, in a loop. Links are absolute or use `..`.
    const swap = `const fs = require("fs");
      process.chdir("/data");
      const attempt = (work) => { try { work(); } catch {} };
      for (let round = 0; ; round++) {
        attempt(() => fs.renameSync("swapped", "aside"));
        attempt(() => fs.symlinkSync([${JSON.stringify(outside)}, ${JSON.stringify(climb())}][round % 2], "swapped"));
        attempt(() => fs.rmSync("aside", { recursive: true }));
        attempt(() => fs.unlinkSync("swapped"));
        attempt(() => fs.mkdirSync("swapped"));
        if (round === 10) fs.writeFileSync("racing", "");
      }`;
    const racer = containerConfig(hostImageName, ["node", "-e", swap], { mounts: [mount("/data")] });
    const racing = await native.start(sandbox, racer);
    await expect.poll(() => readdirSync(volume)).toContain("racing");

    const host = await stat(outside);
    const ends = new Map<string, number>();
    const count = (end: string) => ends.set(end, (ends.get(end) ?? 0) + 1);
    const root = openTrusted(volume);
    const raced = () => ends.has("EXDEV") && ends.has("volume");
    for (let round = 0; round < 1000 || (!raced() && round < 300_000); round++) {
      try {
        const found = openSubPath(root, "swapped");
        count(fstatSync(found).ino === host.ino ? "host" : "volume");
        closeSync(found);
      } catch (error) {
        count(error instanceof Error && "code" in error ? String(error.code) : String(error));
      }
    }
    closeSync(root);
    expect(ends.has("host")).toBe(false);
    expect(raced()).toBe(true);

    const { runtime } = native.under;
    const startAnother = async (round: number) => {
      const script = `ls -A /sub; touch /sub/planted${round}`;
      const mounts = [mount("/sub", { subPath: "swapped/deeper" })];
      const config = containerConfig(hostImageName, ["sh", "-c", script], { mounts });
      const id = await runtime.createContainer(sandbox.id, { ...config, attempt: round + 1 });
      await runtime.startContainer(id).finally(() => runtime.removeContainer(id));
    };
    // Most starts are refused, because one of both checks finds a link.
    for (let round = 0; round < 30; round++) await startAnother(round).catch(() => {});
    await runtime.stopContainer(racing, 0);
    await rm(join(volume, "swapped"), { recursive: true, force: true });
    await mkdir(join(volume, "swapped"));
    // Once the swaps have stopped a start succeeds: the refusals had no other reason.
    await startAnother(30);
    await runtime.removeSandbox(sandbox.id);
    expect(await readdir(outside)).toEqual(["secret"]);
  });

  test("a subPath through a link creates nothing on the host, and is refused in upstream's words", async () => {
    for (const [name, target] of [
      ["absolute", outside],
      ["climbing", climb()],
    ] as const) {
      await symlink(target, join(volume, name));
      for (const subPath of [name, `${name}/made`]) {
        const words = `failed to prepare subPath for volumeMount "data" of container "main"`;
        const asked = { volume, subPath, mountName: "data", containerName: "main" };
        expect(() => prepareSubPath(asked)).toThrow(words);
        await expect(native.output("true", { mounts: [mount("/sub", { subPath })] })).rejects.toThrow(
          "path leads out of its root",
        );
      }
    }
    expect(await readdir(outside)).toEqual(["secret"]);
  });

  test("a subPath of a host path that is a link of the host is in the link's target", async () => {
    const link = join(native.under.directory, `link-${rounds}`);
    await symlink(volume, link);
    prepareSubPath({ volume: link, subPath: "sub", mountName: "data", containerName: "main" });
    const mounts = [mount("/data", { hostPath: link, subPath: "sub" })];
    await native.output("touch /data/made", { mounts });
    expect(await readdir(join(volume, "sub"))).toEqual(["made"]);
  });

  test("a created subPath has the volume's mode, and an existing one may be a file or be behind links inside", async () => {
    await chmod(volume, 0o2770);
    await mkdir(join(volume, "dir"));
    await writeFile(join(volume, "dir/file"), "content");
    await symlink("dir", join(volume, "link"));
    const mounts = [
      mount("/made", { subPath: "new/deeper" }),
      mount("/file", { subPath: "link/file", readOnly: true }),
    ];
    const seen = await native.output("stat -c %a:%u /made; cat /file; echo; echo w > /file", { mounts });
    expect(seen).toMatch(/^2770:0\ncontent\n.*Read-only file system/);
    expect((await stat(join(volume, "new"))).mode & 0o7777).toBe(0o2770);
  });

  test("a link planted in a shared volume leads no mount below it to the host", async () => {
    const sandbox = await native.runSandbox();
    const inner = join(native.under.directory, `inner-${rounds}`);
    await mkdir(inner);
    const { runtime } = native.under;
    for (const place of [outside, climb()]) {
      const mounts = [mount("/data"), mount("/data/x/made", { hostPath: inner })];
      const config = containerConfig(hostImageName, ["true"], { mounts });
      const id = await runtime.createContainer(sandbox.id, config);
      await rm(join(volume, "x"), { force: true });
      symlinkSync(place, join(volume, "x"));
      await runtime.startContainer(id);
      await runtime.removeContainer(id);
    }
    await runtime.removeSandbox(sandbox.id);
    expect(await readdir(outside)).toEqual(["secret"]);
  });

  test("with hostPID, links through /proc create nothing on the host", async () => {
    const folder = join(native.under.directory, `image-${rounds}`);
    await mkdir(folder);
    await symlink(`/proc/${process.pid}/root${outside}`, join(folder, "out"));
    const image = "knarr.local/through-proc:v1";
    await native.under.images.build({ folder, tag: image, base: hostImageName });
    const sandboxMore = { hostPID: true };
    for (const more of [{ mounts: [mount("/out/mounted")] }, { workingDir: "/out/work" }]) {
      await native.output("true", { image, ...more }, sandboxMore).catch(() => {});
    }
    expect(await readdir(outside)).toEqual(["secret"]);
  });

  test("an image's link cannot redirect the host image's own binds", async () => {
    const folder = join(native.under.directory, `binds-${rounds}`);
    await mkdir(join(folder, "opt"), { recursive: true });
    await symlink(outside, join(folder, "opt/knarr"));
    const image = "knarr.local/moved-binds:v1";
    await native.under.images.build({ folder, tag: image, base: hostImageName });
    expect(await native.output("ls /opt/knarr/bin", { image })).toContain("node");
    expect(await readdir(outside)).toEqual(["secret"]);
  });

  test("no volume replaces the root or the kernel's files", async () => {
    await symlink("/proc", join(volume, "link"));
    for (const containerPath of ["/", "/proc", "/proc/self", "/data/link"]) {
      const mounts = [mount("/data"), mount(containerPath)];
      await expect(native.output("true", { mounts })).rejects.toThrow(
        /it is the container's own|Cannot open/,
      );
    }
  });

  test("exec creates no working directory, because the container's processes could redirect it", async () => {
    const sandbox = await native.runSandbox({ hostPID: true });
    const workingDir = "/work/dir";
    const command = [
      "sh",
      "-c",
      `rm -r /work; ln -s /proc/${process.pid}/root${outside} /work; sleep 1000000`,
    ];
    const id = await native.start(sandbox, containerConfig(hostImageName, command, { workingDir }));
    const options = { command: ["pwd"], stdin: false, stdout: true, stderr: true, tty: false };
    await expect
      .poll(async () => {
        const session = await native.under.runtime.exec(id, options);
        return session.exited.then(String, String);
      })
      .toContain(`chdir to cwd ("/work/dir") failed: no such file or directory`);
    await native.under.runtime.removeSandbox(sandbox.id);
    expect(await readdir(outside)).toEqual(["secret"]);
  });

  test("a container that may inspect all of its processes sees none with the host's files during an exec", async () => {
    const sandbox = await native.runSandbox();
    const spy = `const fs = require("fs");
      console.log("watching");
      for (;;) for (const pid of fs.readdirSync("/proc")) {
        if (!/^\\d+$/.test(pid)) continue;
        try { fs.statSync("/proc/" + pid + "/root${outside}/secret"); console.log("found"); process.exit(1); } catch {}
      }`;
    const security = { addCapabilities: ["SYS_PTRACE"] };
    const id = await native.start(sandbox, containerConfig(hostImageName, ["node", "-e", spy], { security }));
    const { runtime } = native.under;
    const { logPath } = await inState(runtime, id, "running");
    await logged(logPath, "watching");
    const options = { command: ["true"], stdin: false, stdout: true, stderr: true, tty: false };
    for (let round = 0; round < 100; round++) {
      const session = await runtime.exec(id, options);
      expect(await session.exited).toBe(0);
    }
    expect((await inState(runtime, id, "running")).state).toBe("running");
    await runtime.removeSandbox(sandbox.id);
  });

  test("starts leave no descriptor open", async () => {
    const open = () =>
      readdirSync("/proc/self/fd")
        .map((name) => linkOf(name))
        .filter((to) => to.startsWith(volume));
    await native.output("true", { mounts: [mount("/data"), mount("/data/x", { subPath: "y" })] });
    expect(open()).toEqual([]);
  });
});

function linkOf(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return "";
  }
}
