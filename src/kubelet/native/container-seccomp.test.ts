import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { containerConfig } from "../runtime.suite.ts";
import type { Seccomp } from "../runtime.ts";
import { nativeUnavailable } from "./native-runtime.ts";
import { hostImageName, useNative } from "./native.suite.ts";

const unavailable = nativeUnavailable();
const title = unavailable === undefined ? "native seccomp" : `native seccomp: ${unavailable}`;

describe.skipIf(unavailable !== undefined)(title, () => {
  const native = useNative();
  const runtimeDefault = { seccomp: { type: "RuntimeDefault" } } as const;
  const localhost = (profile: string) => ({ seccomp: { type: "Localhost", profile } as Seccomp });
  const mode = "grep -E '^Seccomp:' /proc/self/status | tr -d '\\t'";
  const noFolders = {
    defaultAction: "SCMP_ACT_ALLOW",
    syscalls: [{ names: ["mkdir", "mkdirat"], action: "SCMP_ACT_ERRNO", errnoRet: 38 }],
  };

  async function profile(name: string, content: string): Promise<string> {
    const path = join(native.under.options.seccompDirectory, name);
    await mkdir(join(path, ".."), { recursive: true });
    await writeFile(path, content);
    return path;
  }

  test("RuntimeDefault allows what ordinary programs do, and refuses new namespaces and keys", async () => {
    const script = `${mode}; ls / > /dev/null && mkdir /tmp/x && sort /etc/passwd > /dev/null && echo works
      unshare --user true 2>&1; true`;
    expect(await native.output(script, { security: runtimeDefault })).toMatch(
      /^Seccomp:2\nworks\nunshare: unshare(\(0x\w+\))? failed: Operation not permitted$/,
    );
    expect(await native.output(`${mode}; unshare --user true && echo allowed`)).toBe("Seccomp:0\nallowed");
  });

  test.each([
    ["root", {}],
    ["root without privilege escalation", { allowPrivilegeEscalation: false }],
    ["another user", { runAsUser: 1000, runAsGroup: 1000 }],
    [
      "another user without anything",
      { runAsUser: 1000, allowPrivilegeEscalation: false, dropCapabilities: ["ALL"] },
    ],
  ])("a filter holds for %s, and for its execs", async (_, more) => {
    const security = { ...runtimeDefault, ...more };
    const sandbox = await native.runSandbox();
    const config = containerConfig(hostImageName, ["sleep", "1000"], { security });
    const id = await native.start(sandbox, config);
    const streams = { stdin: false, stdout: true, stderr: true, tty: false };
    const session = await native.under.runtime.exec(id, { ...streams, command: ["sh", "-c", mode] });
    if (session.stdout === undefined) throw new TypeError("the exec has no output");
    expect(await text(session.stdout)).toBe("Seccomp:2\n");
    expect(await session.exited).toBe(0);
    await native.under.runtime.removeSandbox(sandbox.id);
  });

  test("CAP_SYS_ADMIN brings the calls that it allows", async () => {
    const security = { ...runtimeDefault, addCapabilities: ["SYS_ADMIN"] };
    expect(await native.output(`${mode}; unshare --uts true && echo allowed`, { security })).toBe(
      "Seccomp:2\nallowed",
    );
  });

  test("a profile of the node is loaded, also in a folder, and an exec has that of the container's start", async () => {
    const path = await profile("team/no-folders.json", JSON.stringify(noFolders));
    const security = localhost("team/no-folders.json");
    expect(await native.output("mkdir /tmp/x 2>&1; mkdir /tmp/y 2>&1; true", { security })).toMatch(
      /^(mkdir: .*Function not implemented\n?){2}$/,
    );
    const sandbox = await native.runSandbox();
    const id = await native.start(sandbox, containerConfig(hostImageName, ["sleep", "1000"], { security }));
    await writeFile(path, "{}");
    const streams = { stdin: false, stdout: true, stderr: true, tty: false };
    const session = await native.under.runtime.exec(id, { ...streams, command: ["mkdir", "/tmp/z"] });
    if (session.stderr === undefined) throw new TypeError("the exec has no stderr");
    expect(await text(session.stderr)).toContain("Function not implemented");
    expect(await session.exited).toBe(1);
    await native.under.runtime.removeSandbox(sandbox.id);
  });

  test("a profile that the kernel would kill the command for is the command's end", async () => {
    await profile(
      "kill.json",
      JSON.stringify({
        ...noFolders,
        syscalls: [{ names: ["mkdir", "mkdirat"], action: "SCMP_ACT_KILL_PROCESS" }],
      }),
    );
    const script = "sh -c 'mkdir /tmp/x'; echo $?";
    expect(await native.output(script, { security: localhost("kill.json") })).toContain("159"); // 128 + SIGSYS
  });

  test.each<[string, string, RegExp]>([
    ["a missing file", "missing.json", /cannot load seccomp profile ".*missing.json": .*ENOENT/],
    ["a folder", ".", /cannot load seccomp profile .*not a file/],
    ["a pipe", "pipe", /cannot load seccomp profile .*not a file/],
    ["no JSON", "bad.json", /cannot load seccomp profile/],
    ["a wrong action", "wrong.json", /defaultAction/],
    ["a large file", "large.json", /larger than/],
    ["a path that leads out", "../x.json", /outside of the node's directory/],
    ["an absolute path", "/etc/passwd", /outside of the node's directory/],
  ])("%s is refused at the creation", async (_, name, expected) => {
    await profile("bad.json", "{");
    await profile("wrong.json", JSON.stringify({ defaultAction: "SCMP_ACT_NONSENSE" }));
    await profile("large.json", `{"defaultAction":"SCMP_ACT_ALLOW","x":"${"x".repeat(2 ** 20)}"}`);
    const pipe = join(native.under.options.seccompDirectory, "pipe");
    if (!existsSync(pipe)) execFileSync("mkfifo", [pipe]);
    const sandbox = await native.runSandbox();
    const config = containerConfig(hostImageName, ["true"], { security: localhost(name) });
    await expect(native.under.runtime.createContainer(sandbox.id, config)).rejects.toMatchObject({
      reason: "CreateContainerError",
      message: expect.stringMatching(expected),
    });
    await native.under.runtime.removeSandbox(sandbox.id);
  });
});
