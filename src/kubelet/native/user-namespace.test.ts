import { execFileSync } from "node:child_process";
import { chownSync, statSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { readHandle } from "../process-handle.ts";
import { containerConfig } from "../runtime.suite.ts";
import { nativeUnavailable } from "./native-runtime.ts";
import { hostImageName, useNative } from "./native.suite.ts";

const unavailable = nativeUnavailable();
const title = unavailable === undefined ? "native user namespaces" : `native user namespaces: ${unavailable}`;
const firstId = 3 * 65_536;

describe.skipIf(unavailable !== undefined)(title, () => {
  const native = useNative();
  const output = (script: string, more: Parameters<typeof containerConfig>[2] = {}) =>
    native.output(script, more, { firstId });

  test("root of the container is an ordinary user of the host, and sees its own IDs", async () => {
    const sandbox = await native.runSandbox({ firstId });
    const id = await native.start(sandbox, containerConfig(hostImageName, ["sleep", "1000000"]));
    const init = await readHandle(join(native.under.options.stateDirectory, "containers", id, "init"));
    expect(statSync(`/proc/${init?.pid}`).uid).toBe(firstId);
    const maps = await readFile(`/proc/${init?.pid}/uid_map`, "utf8");
    expect(maps.trim().split(/\s+/).map(Number)).toEqual([0, firstId, 65_536]);
    const options = { stdin: false, stdout: true, stderr: true, tty: false };
    const command = ["sh", "-c", "id -u; touch /made; stat -c %u:%g /made /etc /dev/shm"];
    const session = await native.under.runtime.exec(id, { ...options, command });
    expect(await text(session.stdout!)).toBe("0\n0:0\n0:0\n0:0\n");
    // On disk, the files have the IDs that they have without a user namespace.
    const made = join(native.under.options.stateDirectory, "containers", id, "layer/upper/made");
    expect(statSync(made).uid).toBe(0);
    await native.under.runtime.removeSandbox(sandbox.id);
  });

  test("a container sees all of /proc where it asks for it, and still cannot change the host", async () => {
    const hidden =
      "grep -c ' /proc/' /proc/self/mountinfo; (echo 1 > /proc/sys/kernel/panic) 2>&- || echo refused";
    expect(await output(hidden)).toMatch(/^[1-9]\d*\nrefused/);
    expect(await output(hidden, { security: { unmasked: true } })).toMatch(/^0\nrefused/);
    const config = { security: { unmasked: true as const } };
    expect(await native.output("grep -c ' /proc/' /proc/self/mountinfo", config)).toMatch(/^[1-9]/);
  });

  test("users, groups, output and terminals work as without it", async () => {
    const security = { runAsUser: 1000, runAsGroup: 2000, supplementalGroups: [3000] };
    expect(await output("id; echo x > /dev/stdout; cd; pwd", { security })).toBe(
      "uid=1000 gid=2000 groups=2000,3000\nx\n/",
    );
    expect(await output("tty; stat -c %u $(tty)", { security, tty: true })).toMatch(/\/dev\/pts\/0\r?\n1000/);
    expect(await output("hostname; cat /etc/hostname")).toMatch(/^(\S+)\n\1$/);
  });

  test("volumes keep their owners inside and on the host", async () => {
    const volume = join(native.under.directory, "owned");
    await mkdir(volume);
    await writeFile(join(volume, "theirs"), "");
    chownSync(join(volume, "theirs"), 7, 8);
    const mounts = [
      { hostPath: volume, containerPath: "/data", readOnly: false, propagation: "None" as const },
    ];
    expect(
      await output("stat -c %u:%g /data/theirs; touch /data/mine; chown 5:6 /data/mine", { mounts }),
    ).toBe("7:8");
    expect(statSync(join(volume, "mine"))).toMatchObject({ uid: 5, gid: 6 });
  });

  test("missing mount points and working directories are made for the container's root", async () => {
    const volume = join(native.under.directory, "deep");
    await mkdir(volume);
    const mounts = [
      { hostPath: volume, containerPath: "/a/b/c", readOnly: true, propagation: "None" as const },
    ];
    expect(await output("stat -c %u /a /a/b $PWD", { mounts, workingDir: "/w/d" })).toBe("0\n0\n0");
  });

  test("all capabilities hold for the container alone", async () => {
    const security = { privileged: true };
    const script = `mkdir /m && mount -t tmpfs tmpfs /m && echo mounted
      (echo 1 > /proc/sys/kernel/panic) 2>&- || echo refused
      ip link add dummy0 type veth && echo linked
      mount -o remount,rw /sys || echo locked`;
    const seen = await output(script, { security });
    for (const words of ["mounted", "refused", "linked"]) expect(seen).toContain(words);
  });

  test("the Pod's network works, and nothing is left of the namespace", async () => {
    const sandbox = await native.runSandbox({ firstId });
    const server = `require("http").createServer((_, r) => r.end("pong")).listen(80, () => console.log("up"))`;
    await native.start(sandbox, containerConfig(hostImageName, ["node", "-e", server]));
    await expect
      .poll(() => fetch(`http://${sandbox.ips[0]}/`).then((answer) => answer.text(), String))
      .toBe("pong");
    expect((await native.under.runtime.list()).find(({ id }) => id === sandbox.id)?.firstId).toBe(firstId);
    await native.under.runtime.removeSandbox(sandbox.id);
    expect(execFileSync("cat", ["/proc/self/mountinfo"], { encoding: "utf8" })).not.toContain(sandbox.id);
  });
});
