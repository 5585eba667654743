import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { containerConfig, inState, logOf } from "../runtime.suite.ts";
import type { SandboxStatus } from "../runtime.ts";
import { containerdUnavailable, testImage, useCri } from "./containerd.suite.ts";

const unavailable = containerdUnavailable();

describe.skipIf(unavailable !== undefined)(`containers of containerd ${unavailable ?? ""}`, () => {
  const cri = useCri();

  test("the resolver, the hosts and the sysctls are the Pod's", async () => {
    const script = "cat /etc/resolv.conf /etc/hosts /proc/sys/net/ipv4/ip_unprivileged_port_start";
    const more = {
      hostAliases: ["1.2.3.4 a.test b.test"],
      sysctls: { "net.ipv4.ip_unprivileged_port_start": "7" },
    };
    const output = await cri.output(script, {}, { hostname: "web", ...more });
    expect(output).toContain("search default.svc.cluster.local\nnameserver 10.96.0.10\noptions ndots:5");
    expect(output).toMatch(/^10\.\S+\tweb$/m);
    expect(output).toContain("1.2.3.4\ta.test\tb.test");
    expect(output).toMatch(/^7$/m);
  });

  test("user, groups, capabilities, privileges, seccomp and the root are as the Pod has them", async () => {
    const security = {
      runAsUser: 1000,
      runAsGroup: 3000,
      supplementalGroups: [4000],
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      dropCapabilities: ["ALL"],
      seccomp: { type: "RuntimeDefault" },
    } as const;
    const script = "id -u; id -g; id -G; grep -E 'NoNewPrivs|CapBnd|Seccomp:' /proc/self/status; touch /x";
    const output = await cri.output(script, { security });
    expect(output).toMatch(/^1000\n3000\n/);
    expect(output).toContain("4000");
    expect(output).toContain("NoNewPrivs:\t1");
    expect(output).toContain("CapBnd:\t0000000000000000");
    expect(output).toContain("Seccomp:\t2");
    expect(output).toContain("Read-only file system");
  });

  test("an unprivileged container does not see the kernel's secrets; a privileged one has all capabilities", async () => {
    const script = "head -c 1 /proc/interrupts | grep -c . ; grep CapEff /proc/self/status";
    expect(await cri.output(script)).toMatch(/^0\n/);
    const privileged = { security: { privileged: true } };
    const all = readFileSync("/proc/self/status", "utf8").match(/CapEff:\s+(\w+)/)?.[1] ?? "";
    expect(await cri.output(script, privileged, { hasPrivileged: true })).toContain(all);
  });

  test("root is refused where the Pod forbids it", async () => {
    const sandbox = await cri.runSandbox();
    const config = containerConfig(testImage, ["sleep", "1"], { security: { runAsNonRoot: true } });
    await expect(cri.under.runtime.createContainer(sandbox.id, config)).rejects.toMatchObject({
      reason: "CreateContainerConfigError",
      message: "container has runAsNonRoot and image will run as root",
    });
    await cri.under.runtime.removeSandbox(sandbox.id);
  });

  test("a subPath is the one that was opened, and one that leaves its volume is refused", async () => {
    const volume = join(cri.under.containerd.directory, "volume");
    mkdirSync(join(volume, "inside"), { recursive: true });
    writeFileSync(join(volume, "inside/file"), "content");
    symlinkSync("/etc", join(volume, "out"));
    const mount = { hostPath: volume, containerPath: "/data", readOnly: true, propagation: "None" } as const;
    expect(await cri.output("cat /data/file", { mounts: [{ ...mount, subPath: "inside" }] })).toBe("content");
    expect(await cri.output("cat /data", { mounts: [{ ...mount, subPath: "inside/file" }] })).toBe("content");
    const sandbox = await cri.runSandbox();
    const bad = containerConfig(testImage, ["sleep", "1"], { mounts: [{ ...mount, subPath: "out" }] });
    await expect(cri.under.runtime.createContainer(sandbox.id, bad)).rejects.toMatchObject({
      reason: "CreateContainerError",
      message: expect.stringContaining("path leads out of its root"),
    });
    await cri.under.runtime.removeSandbox(sandbox.id);
    const mounts = readFileSync("/proc/self/mountinfo", "utf8");
    expect(mounts).not.toContain(cri.under.options.stateDirectory);
  });

  test("limits change in place, and too much memory is OOMKilled", async () => {
    const { runtime } = cri.under;
    const sandbox = await cri.runSandbox();
    const id = await cri.start(
      sandbox,
      containerConfig(
        testImage,
        [
          "sh",
          "-c",
          "read x; cat /dev/zero | head -c 200000000 | node -e \"require('fs').readFileSync(0)\"; exit $?",
        ],
        { stdin: true, resources: { memoryLimitBytes: 2 ** 29 } },
      ),
    );
    await inState(runtime, id, "running");
    await runtime.updateContainer(id, { memoryLimitBytes: 2 ** 25, cpuShares: 100 });
    const session = await runtime.attach(id, { stdin: true, stdout: true, stderr: false, tty: false });
    session.stdin?.end("go\n");
    expect(await inState(runtime, id, "exited")).toMatchObject({ reason: "OOMKilled" });
    await runtime.removeSandbox(sandbox.id);
  });

  test("a terminal has the size that the session gives", async () => {
    const { runtime } = cri.under;
    const sandbox = await cri.runSandbox();
    const id = await cri.start(sandbox, containerConfig(testImage, ["sleep", "1000000"]));
    const command = ["sh", "-c", "read x; node -e 'console.log(process.stdout.columns)'"];
    const session = await runtime.exec(id, { command, stdin: true, stdout: true, stderr: false, tty: true });
    session.resize({ width: 123, height: 45 });
    let output = "";
    session.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
    session.stdin?.write("\n");
    expect(await session.exited).toBe(0);
    expect(output).toContain("123");
    await runtime.removeSandbox(sandbox.id);
  });

  test("a sandbox runs with the handler of its RuntimeClass; an unknown one is refused", async () => {
    expect(await cri.output("echo ran", {}, { runtimeHandler: "second" })).toBe("ran");
    await expect(cri.runSandbox({ runtimeHandler: "missing" })).rejects.toMatchObject({
      reason: "CreatePodSandboxError",
      message: expect.stringContaining('no runtime for "missing" is configured'),
    });
    expect(await cri.under.runtime.list()).toEqual([]);
  });

  test("containers with the host's network and processes see the host's", async () => {
    const script = "ls /proc | grep -c '^[0-9]'; ls /sys/class/net";
    const output = await cri.output(script, {}, { hostNetwork: true, hostPID: true, hostIPC: true });
    expect(Number(output.split("\n")[0])).toBeGreaterThan(10);
    expect(await cri.output("ls /proc | grep -c '^[0-9]'")).toMatch(/^[1-9]$/);
  });

  test("a Pod's containers share their processes where it says so, and one sees those of its target", async () => {
    const { runtime } = cri.under;
    const alone = await cri.runSandbox();
    const shared = await cri.runSandbox({ sharesProcesses: true });
    const seenIn = async (sandbox: SandboxStatus, targeted: boolean) => {
      const other = await cri.start(
        sandbox,
        containerConfig(testImage, ["sleep", "1234567"], { name: "other" }),
      );
      const target = targeted ? { target: other } : {};
      const script = "cat /proc/[0-9]*/cmdline";
      const id = await cri.start(sandbox, containerConfig(testImage, ["sh", "-c", script], target));
      const log = (await logOf(runtime, id)).join();
      await runtime.removeSandbox(sandbox.id);
      return log.includes("1234567");
    };
    expect(await seenIn(shared, false)).toBe(true);
    expect(await seenIn(alone, false)).toBe(false);
    expect(await seenIn(await cri.runSandbox(), true)).toBe(true);
  });

  test("the log is the container's alone: a link in its place is refused", async () => {
    const sandbox = await cri.runSandbox();
    const directory = join(cri.under.logDirectory, sandbox.pod.name);
    mkdirSync(directory, { recursive: true });
    symlinkSync("/tmp", join(directory, "main"));
    const config = containerConfig(testImage, ["echo", "x"]);
    await expect(cri.under.runtime.createContainer(sandbox.id, config)).rejects.toMatchObject({
      reason: "CreateContainerError",
    });
    const other = containerConfig(testImage, ["echo", "x"], { name: "other" });
    expect(await logOf(cri.under.runtime, await cri.start(sandbox, other))).toEqual(["stdout F x"]);
    await cri.under.runtime.removeSandbox(sandbox.id);
  });
});
