import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync, readlinkSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { containerConfig, inState, logged, logOf } from "../runtime.suite.ts";
import { nativeUnavailable } from "./native-runtime.ts";
import { hostImageName, useNative } from "./native.suite.ts";

const unavailable = nativeUnavailable();
const title = unavailable === undefined ? "native processes" : `native processes: ${unavailable}`;

describe.skipIf(unavailable !== undefined)(title, () => {
  const native = useNative();

  describe("processes and limits", () => {
    test("PID 1 is the command, and hostPID, hostIPC and hostNetwork show the host's namespaces", async () => {
      const script = "echo $$; for n in pid net ipc uts; do readlink /proc/self/ns/$n; done";
      const host = ["pid", "net", "ipc", "uts"].map((kind) => readlinkSync(`/proc/self/ns/${kind}`));
      const [pid, ...own] = (await native.output(script)).split("\n");
      expect(pid).toBe("1");
      for (const [index, namespace] of own.entries()) expect(namespace).not.toBe(host[index]);
      const shared = { hostNetwork: true, hostPID: true, hostIPC: true };
      expect((await native.output(script, {}, shared)).split("\n").slice(1)).toEqual(host);
    });

    test("containers of a Pod see each other's processes where it asks for that, and one of them where a debugger does", async () => {
      const { runtime, options } = native.under;
      const see = `cat /proc/*/comm; grep -E '^(Uid|CapEff)' /proc/1/status; ls -A /proc/1/root/ 2>&1`;
      const shell = async (sandboxId: string, more: Parameters<typeof containerConfig>[2]) => {
        const config = containerConfig(hostImageName, ["sh", "-c", see], {
          ...more,
          security: { addCapabilities: ["SYS_PTRACE"] },
        });
        const id = await runtime.createContainer(sandboxId, config);
        await runtime.startContainer(id);
        return (await logOf(runtime, id)).join("\n");
      };
      const shared = await native.runSandbox({ sharesProcesses: true });
      const marked = ["sh", "-c", "sleep 1000001 & exec sleep 1000000"];
      const first = await native.start(shared, containerConfig(hostImageName, marked));
      const seen = await shell(shared.id, { name: "second" });
      expect(seen).toMatch(/stdout F sleep\n(.|\n)*stdout F sleep\n/);
      // The first process has no rights and sees no files.
      expect(seen).toMatch(/Uid:\t65535(.|\n)*CapEff:\t0{16}\n?$/);
      // What a container leaves behind ends with it.
      await runtime.stopContainer(first, 0);
      const joined = globSync(`/sys/fs/cgroup/{,*/}${options.cgroup}/${shared.id}/${first}/cgroup.procs`);
      await expect.poll(() => joined.map((file) => readFileSync(file, "utf8")).join("")).toBe("");

      const other = await native.runSandbox();
      const target = await native.start(other, containerConfig(hostImageName, ["sleep", "1000000"]));
      expect(await shell(other.id, { name: "debugger", target })).toContain("stdout F sleep");
      expect(await shell(other.id, { name: "neighbour", attempt: 1 })).not.toContain("stdout F sleep");
      for (const { id } of [shared, other]) await runtime.removeSandbox(id);
    });

    test("a container that is removed during its boot is created until then, and leaves nothing", async () => {
      const { runtime, options } = native.under;
      const sandbox = await native.runSandbox();
      const id = await runtime.createContainer(sandbox.id, containerConfig(hostImageName, ["sleep", "inf"]));
      // Opening the FIFO blocks the boot before it joins any cgroup.
      const directory = join(options.stateDirectory, "containers", id);
      const plan = join(directory, "plan");
      const gate = join(directory, "gate");
      execFileSync("mkfifo", [gate]);
      const words = (await readFile(plan, "utf8")).split("\0");
      await writeFile(plan, words.toSpliced(words.indexOf("join"), 0, "join", gate).join("\0"));
      const start = runtime.startContainer(id);
      await expect.poll(() => existsSync(join(directory, "supervisor"))).toBe(true);
      const removal = runtime.removeSandbox(sandbox.id);
      for (let looks = 0; looks < 5; looks++) {
        const found = (await runtime.list()).find((one) => one.id === sandbox.id);
        expect(found?.containers[0]?.state).toBe("created");
      }
      expect(await readFile(gate, "utf8")).toBe("0");
      await Promise.all([start, removal]);
      expect(globSync(`/sys/fs/cgroup/{,*/}${options.cgroup}/${sandbox.id}`)).toEqual([]);
    });

    test("limits are in the cgroup's files and change in place", async () => {
      const sandbox = await native.runSandbox();
      const resources = {
        cpuShares: 512,
        cpuQuota: 20_000,
        cpuPeriod: 100_000,
        memoryLimitBytes: 64 << 20,
        pidsLimit: 50,
      };
      const id = await native.start(
        sandbox,
        containerConfig(hostImageName, ["sleep", "1000000"], { resources }),
      );
      const read = async () => {
        const command = [
          "sh",
          "-c",
          "cd /sys/fs/cgroup; cat */cpu.cfs_quota_us */memory.limit_in_bytes */pids.max cpu.max memory.max pids.max 2>/dev/null",
        ];
        const session = await native.under.runtime.exec(id, {
          command,
          stdin: false,
          stdout: true,
          stderr: false,
          tty: false,
        });
        const seen = await text(session.stdout!);
        await session.exited;
        return seen;
      };
      expect(await read()).toMatch(/^20000( 100000)?\n67108864\n50\n$/);
      await native.under.runtime.updateContainer(id, {
        ...resources,
        cpuQuota: 40_000,
        memoryLimitBytes: 128 << 20,
      });
      expect(await read()).toMatch(/^40000( 100000)?\n134217728\n50\n$/);
      await native.under.runtime.removeSandbox(sandbox.id);
    });

    test("a container that exceeds its memory limit is OOMKilled", async () => {
      const sandbox = await native.runSandbox();
      const command = ["node", "-e", "const a=[]; for(;;) a.push(Buffer.alloc(1<<20, 1))"];
      const resources = { memoryLimitBytes: 48 << 20 };
      const id = await native.start(sandbox, containerConfig(hostImageName, command, { resources }));
      expect(await inState(native.under.runtime, id, "exited")).toMatchObject({
        exitCode: 137,
        reason: "OOMKilled",
      });
      await native.under.runtime.removeSandbox(sandbox.id);
    });

    test("a fork bomb ends at the pids limit of its container, or of its Pod", async () => {
      const script = "for i in 1 2 3 4 5 6 7 8 9 10; do sleep 100 & done; echo all";
      const refused = /Cannot fork|Resource temporarily/;
      expect(await native.output(script, { resources: { pidsLimit: 5 } })).toMatch(refused);
      expect(await native.output(script, {}, { resources: { pidsLimit: 5 } })).toMatch(refused);
    });
  });

  describe("network", () => {
    test("Pods reach each other and are reached from the host; names and resolver are as configured", async () => {
      const server = `require("http").createServer((_, r) => r.end("pong")).listen(80, () => console.log("up"))`;
      const target = await native.runSandbox({ hostAliases: ["10.9.8.7 one two"] });
      const id = await native.start(
        target,
        containerConfig(hostImageName, ["node", "-e", server], { security: { runAsUser: 1000 } }),
      );
      await logged((await inState(native.under.runtime, id, "running")).logPath, "up");
      const [address] = target.ips;
      expect(await (await fetch(`http://${address}/`)).text()).toBe("pong");
      const client = `fetch("http://${address}/").then(async (r) => console.log(await r.text()))`;
      expect(await native.output(`node -e '${client}'`)).toBe("pong");
      const files = await native.under.runtime.exec(id, {
        command: ["cat", "/etc/hosts", "/etc/resolv.conf", "/etc/hostname"],
        stdin: false,
        stdout: true,
        stderr: true,
        tty: false,
      });
      const seen = await text(files.stdout!);
      expect(seen).toContain(`${address}\t${target.pod.name}\n`);
      expect(seen).toContain("10.9.8.7\tone\ttwo\n");
      expect(seen).toContain("search default.svc.cluster.local\nnameserver 10.96.0.10\noptions ndots:5\n");
      await native.under.runtime.removeSandbox(target.id);
    });
  });

  describe("terminals", () => {
    test("a container's terminal accepts input, sizes and control characters", async () => {
      const sandbox = await native.runSandbox();
      const script = `trap 'echo size $(stty size)' WINCH; trap 'tty; exit 6' INT; read -r line; echo got $line
        while :; do sleep 0.1; done`;
      const id = await native.start(
        sandbox,
        containerConfig(hostImageName, ["sh", "-c", script], { tty: true, stdin: true }),
      );
      const session = await native.under.runtime.attach(id, {
        stdin: true,
        stdout: true,
        stderr: false,
        tty: true,
      });
      session.stdin?.write("line\n");
      let seen = "";
      for await (const chunk of session.stdout ?? []) {
        seen += String(chunk);
        if (seen.endsWith("got line\r\n")) session.resize({ width: 111, height: 44 });
        if (seen.endsWith("size 44 111\r\n")) session.stdin?.write("\u0003");
      }
      expect(seen).toContain("/dev/pts/0");
      expect(await session.exited).toBe(6);
      expect(await inState(native.under.runtime, id, "exited")).toMatchObject({ exitCode: 6 });
      await native.under.runtime.removeSandbox(sandbox.id);
    });

    test("exec with a terminal has one of the requested size", async () => {
      const sandbox = await native.runSandbox();
      const id = await native.start(sandbox, containerConfig(hostImageName, ["sleep", "1000000"]));
      const command = [
        "sh",
        "-c",
        "trap 'stty size; exit 8' WINCH; test -t 0 && echo terminal; while :; do sleep 0.1; done",
      ];
      const session = await native.under.runtime.exec(id, {
        command,
        stdin: true,
        stdout: true,
        stderr: true,
        tty: true,
      });
      expect(session.stderr).toBeUndefined();
      let seen = "";
      for await (const chunk of session.stdout ?? []) {
        seen += String(chunk);
        if (seen.endsWith("terminal\r\n")) session.resize({ width: 90, height: 30 });
      }
      expect(seen).toContain("30 90");
      expect(await session.exited).toBe(8);
      await native.under.runtime.removeSandbox(sandbox.id);
    });

    test("a shell in an exec's terminal controls its jobs, and its exit code is the session's", async () => {
      const sandbox = await native.runSandbox();
      const id = await native.start(sandbox, containerConfig(hostImageName, ["sleep", "1000000"]));
      const session = await native.under.runtime.exec(id, {
        command: ["sh"],
        stdin: true,
        stdout: true,
        stderr: false,
        tty: true,
      });
      // The job runs no programs: a stop in the middle of a vfork is not noticed.
      const answers: readonly (readonly [RegExp, string])[] = [
        [/# $/, "sh -c 'trap \"echo back\" CONT; echo ready; while :; do read -r line; done'\n"],
        [/\r\nready\r\n$/, "\u001a"],
        [/Stopped[^]*# $/, "fg\n"],
        [/\r\nback\r\n$/, "\u0003"],
        [/# $/, "echo at the terminal >/dev/tty; exit 4\n"],
      ];
      let [seen, next] = ["", 0];
      for await (const chunk of session.stdout ?? []) {
        seen += String(chunk);
        const [pattern, answer] = answers[next] ?? [];
        if (pattern?.test(seen) !== true || answer === undefined) continue;
        next++;
        seen = "";
        session.stdin?.write(answer);
      }
      expect(seen).toContain("at the terminal\r\n");
      expect(seen).not.toContain("Cannot set tty");
      expect(await session.exited).toBe(4);
      await native.under.runtime.removeSandbox(sandbox.id);
    });
  });

  test("long lines are split into partial entries of 16 KiB, and bytes are unchanged", async () => {
    const sandbox = await native.runSandbox();
    const id = await native.start(
      sandbox,
      containerConfig(hostImageName, [
        "sh",
        "-c",
        "head -c 40000 /dev/zero | tr '\\0' x; echo; printf '\\377\\0\\n'",
      ]),
    );
    const { logPath } = await inState(native.under.runtime, id, "exited");
    const entries = (await readFile(logPath, "latin1")).split("\n").map((line) => line.slice(31));
    expect(entries.map((entry) => [entry.slice(0, 8), entry.length - 9])).toEqual([
      ["stdout P", 16384],
      ["stdout P", 16384],
      ["stdout F", 7232],
      ["stdout F", 2],
      ["", -9],
    ]);
    expect(entries[3]).toBe("stdout F \u00ff\0");
    await native.under.runtime.removeSandbox(sandbox.id);
  });
});
