import { watch } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ContainerConfig, ContainerStatus, Runtime, SandboxConfig, SandboxStatus } from "./runtime.ts";

/** The features of a runtime under test. Tests of missing features are skipped by name. */
export interface RuntimeFeatures {
  /** A node may lack an image; otherwise every reference stands for one. */
  readonly images: boolean;
  /** Containers run real commands of the image's shell; otherwise every command runs until it is stopped. */
  readonly commands: boolean;
  /** `exec` and `attach`. */
  readonly sessions: boolean;
  /** `dial` reaches a process in the sandbox. */
  readonly dial: boolean;
  /** A second runtime on the same state adopts the containers. */
  readonly adoption: boolean;
  /**
   * The smaller features that the runtime does not have: the stop signals of Pods' specs, the end of an exec's process
   * with its session, and the refusal of `dial` before its stream.
   */
  readonly lacks?: readonly ("stop signals" | "the end of exec" | "the refusal of dial")[];
}

/** The time for opening and removing a runtime, which may be a daemon, on a machine that is busy. */
const hookMs = 60_000;

export interface RuntimeUnderTest {
  readonly runtime: Runtime;
  /** An image with `sh`, `sleep`, `cat` and (for `dial`) `node`. */
  readonly image: string;
  readonly logDirectory: string;
  /** Closes the runtime and opens another on the same state. */
  restart(): Promise<Runtime>;
  /** Removes everything. */
  dispose(): Promise<void>;
}

export function sandboxConfig(
  name: string,
  logDirectory: string,
  more: Partial<SandboxConfig> = {},
): SandboxConfig {
  return {
    pod: { uid: `uid-${name}`, namespace: "default", name },
    attempt: 0,
    hostname: name,
    hostNetwork: false,
    hostPID: false,
    hostIPC: false,
    sharesProcesses: false,
    dns: { servers: ["10.96.0.10"], searches: ["default.svc.cluster.local"], options: ["ndots:5"] },
    hostAliases: [],
    sysctls: {},
    resources: {},
    logDirectory: `${logDirectory}/${name}`,
    ...more,
  };
}

export function containerConfig(
  image: string,
  command: readonly string[],
  more: Partial<Omit<ContainerConfig, "security">> & {
    readonly security?: Partial<ContainerConfig["security"]>;
  } = {},
): ContainerConfig {
  return {
    name: "main",
    attempt: 0,
    image,
    command,
    args: [],
    workingDir: "",
    env: [],
    mounts: [],
    resources: {},
    tty: false,
    stdin: false,
    stdinOnce: false,
    stopSignal: "",
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
    role: "main",
    pod: { namespace: "default", labels: {}, annotations: {} },
    ...more,
    security: {
      privileged: false,
      readOnlyRootFilesystem: false,
      allowPrivilegeEscalation: true,
      supplementalGroups: [],
      supplementalGroupsPolicy: "Merge",
      runAsNonRoot: false,
      addCapabilities: [],
      dropCapabilities: [],
      seccomp: { type: "Unconfined" },
      ...more.security,
    },
  };
}

/** Returns the container as soon as it is in one of `states`. Hints wake the wait; `list` decides. */
export async function inState(
  runtime: Runtime,
  id: string,
  ...states: readonly ContainerStatus["state"][]
): Promise<ContainerStatus> {
  const stop = new AbortController();
  const hints = runtime.watch(stop.signal)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const hint = hints.next();
      const sandboxes = await runtime.list();
      const found = sandboxes
        .flatMap((sandbox) => sandbox.containers)
        .find((container) => container.id === id);
      if (found === undefined) throw new Error(`Cannot find container ${id}`);
      if (states.includes(found.state)) return found;
      await hint;
    }
  } finally {
    stop.abort();
    await hints.return?.();
  }
}

/** Returns the log's entries without their times, once the container has ended. */
export async function logOf(runtime: Runtime, id: string): Promise<readonly string[]> {
  const { logPath } = await inState(runtime, id, "exited");
  const lines = (await readFile(logPath, "utf8")).trimEnd().split("\n");
  return lines.map((line) => line.slice(line.indexOf(" ") + 1));
}

/** Resolves when the log contains `part`. */
export async function logged(logPath: string, part: string): Promise<void> {
  const stop = new AbortController();
  await new Promise<void>((resolve, reject) => {
    const look = () => {
      readFile(logPath, "utf8").then(
        (log) => log.includes(part) && resolve(),
        () => {},
      );
    };
    const watcher = watch(dirname(logPath), { signal: stop.signal }, look);
    watcher.on("error", reject);
    look();
  }).finally(() => stop.abort());
}

async function read(stream: Readable | undefined): Promise<string> {
  return stream === undefined ? "" : text(stream);
}

async function sandboxOf(runtime: Runtime, id: string): Promise<SandboxStatus | undefined> {
  return (await runtime.list()).find((sandbox) => sandbox.id === id);
}

/** Tests everything that every container runtime must do. */
export function runtimeSuite(
  name: string,
  features: RuntimeFeatures,
  open: () => Promise<RuntimeUnderTest>,
): void {
  describe(`${name} as a container runtime`, () => {
    let under: RuntimeUnderTest;
    let runtime: Runtime;
    let pods = 0;

    beforeAll(async () => {
      under = await open();
      runtime = under.runtime;
    }, hookMs);
    afterAll(() => under?.dispose(), hookMs);

    const runSandbox = (more: Partial<SandboxConfig> = {}) =>
      runtime.runSandbox(sandboxConfig(`pod-${pods++}`, under.logDirectory, more));
    const create = (sandbox: SandboxStatus, command: readonly string[], more = {}) =>
      runtime.createContainer(sandbox.id, containerConfig(under.image, command, more));
    const run = async (command: readonly string[], more = {}) => {
      const sandbox = await runSandbox();
      const id = await create(sandbox, command, more);
      await runtime.startContainer(id);
      return { sandbox, id };
    };
    const forever = ["sleep", "1000000"];

    test("a sandbox is ready with an address of its own, and keeps its identity", async () => {
      const [one, two] = await Promise.all([runSandbox(), runSandbox({ attempt: 3 })]);
      expect(one).toMatchObject({ state: "ready", containers: [] });
      expect(one.ips).toHaveLength(1);
      expect(two.ips).not.toEqual(one.ips);
      expect(await sandboxOf(runtime, two.id)).toEqual(two);
      expect(two).toMatchObject({ attempt: 3, pod: { namespace: "default" } });
      await Promise.all([runtime.removeSandbox(one.id), runtime.removeSandbox(two.id)]);
    });

    test("a stopped sandbox releases its address but stays in the list; a removed one does not", async () => {
      const sandbox = await runSandbox();
      await runtime.stopSandbox(sandbox.id);
      await runtime.stopSandbox(sandbox.id);
      expect(await sandboxOf(runtime, sandbox.id)).toMatchObject({ state: "notReady", ips: [] });
      await runtime.removeSandbox(sandbox.id);
      await runtime.removeSandbox(sandbox.id);
      expect(await sandboxOf(runtime, sandbox.id)).toBeUndefined();
    });

    test("a container changes from created to running to exited, with times in that order", async () => {
      const sandbox = await runSandbox();
      const id = await create(sandbox, forever);
      expect(await inState(runtime, id, "created")).toMatchObject({ name: "main" });
      await runtime.startContainer(id);
      await inState(runtime, id, "running");
      await runtime.stopContainer(id, 0);
      const ended = await inState(runtime, id, "exited");
      expect(ended).toMatchObject({ exitCode: 137, reason: "Error" });
      expect(ended.startedAt).toBeGreaterThanOrEqual(ended.createdAt - 1);
      expect(ended.finishedAt).toBeGreaterThanOrEqual(ended.startedAt ?? Infinity);
      await runtime.removeSandbox(sandbox.id);
    });

    test("stop and remove are idempotent; removing a sandbox removes its running containers", async () => {
      const { sandbox, id } = await run(forever);
      await runtime.removeSandbox(sandbox.id);
      expect(await sandboxOf(runtime, sandbox.id)).toBeUndefined();
      await runtime.stopContainer(id, 10);
      await runtime.removeContainer(id);
    });

    test.skipIf(!features.images)(
      "an image that is not on the node is ImageNotFound, and images on it are listed",
      async () => {
        const sandbox = await runSandbox();
        const missing = runtime.createContainer(
          sandbox.id,
          containerConfig("knarr.local/missing:v1", forever),
        );
        await expect(missing).rejects.toMatchObject({ reason: "ImageNotFound" });
        const status = await runtime.images.inspect(under.image);
        expect((await runtime.images.list()).map(({ id }) => id)).toContain(status?.id);
        await runtime.removeSandbox(sandbox.id);
      },
    );

    test("a running container is measured, if the runtime measures, and an ended one is not", async () => {
      if (runtime.usage === undefined) return;
      const { sandbox, id } = await run(forever);
      await inState(runtime, id, "running");
      const { machine, containers } = await runtime.usage();
      const amount = expect.toSatisfy((value: number) => value >= 0 && value < Infinity);
      expect(containers.get(id)).toEqual({ cpuNanos: amount, memoryBytes: amount });
      expect(machine).toEqual({ cpuNanos: amount, memoryBytes: amount });
      await runtime.removeSandbox(sandbox.id);
      expect([...(await runtime.usage()).containers.keys()]).not.toContain(id);
    });

    test("a change in a Pod causes a hint", async () => {
      const stop = new AbortController();
      const hints = runtime.watch(stop.signal)[Symbol.asyncIterator]();
      const first = hints.next();
      const sandbox = await runSandbox();
      expect((await first).value).toBe(sandbox.pod.uid);
      stop.abort();
      expect((await hints.next()).done).toBe(true);
      await runtime.removeSandbox(sandbox.id);
    });

    describe.skipIf(!features.commands)("running commands", () => {
      test.each([
        ["exit 0", 0, "Completed"],
        ["exit 42", 42, "Error"],
        ["kill -9 $$ & wait; sh -c 'kill -SEGV $$'", 139, "Error"],
      ])("%s ends with %i, %s", async (script, exitCode, reason) => {
        const { sandbox, id } = await run(["sh", "-c", script]);
        expect(await inState(runtime, id, "exited")).toMatchObject({ exitCode, reason });
        await runtime.removeSandbox(sandbox.id);
      });

      test("a command that does not exist is RunContainerError, also in the status", async () => {
        const sandbox = await runSandbox();
        const id = await create(sandbox, ["no-such-command"]);
        await expect(runtime.startContainer(id)).rejects.toMatchObject({ reason: "RunContainerError" });
        const status = await inState(runtime, id, "exited");
        expect(status).toMatchObject({ exitCode: 128, message: expect.stringContaining("no-such-command") });
        await runtime.removeSandbox(sandbox.id);
      });

      test("the stop signal reaches the first process, and SIGKILL follows the grace period", async () => {
        const trap = (signal: string) => [
          "sh",
          "-c",
          `trap 'exit 7' ${signal}; echo up; while :; do sleep 1; done`,
        ];
        const polite = await run(trap("TERM"));
        const hasSignals = features.lacks?.includes("stop signals") !== true;
        const chosen = await run(trap(hasSignals ? "USR1" : "TERM"), {
          stopSignal: hasSignals ? "SIGUSR1" : "",
        });
        const deaf = await run(["sh", "-c", "trap '' TERM; echo up; while :; do sleep 1; done"]);
        for (const { id } of [polite, chosen, deaf]) {
          await logged((await inState(runtime, id, "running")).logPath, "up");
        }
        await Promise.all([
          runtime.stopContainer(polite.id, 10_000),
          runtime.stopContainer(chosen.id, 10_000),
          runtime.stopContainer(deaf.id, 50),
        ]);
        expect((await inState(runtime, polite.id, "exited")).exitCode).toBe(7);
        expect((await inState(runtime, chosen.id, "exited")).exitCode).toBe(7);
        expect((await inState(runtime, deaf.id, "exited")).exitCode).toBe(137);
        for (const { sandbox } of [polite, chosen, deaf]) await runtime.removeSandbox(sandbox.id);
      });

      test("output is in the log, in CRI format, when the container has exited", async () => {
        const { sandbox, id } = await run(["sh", "-c", "echo out; echo err >&2; printf 'no newline'"]);
        const { logPath } = await inState(runtime, id, "exited");
        expect(logPath).toBe(`${under.logDirectory}/${sandbox.pod.name}/main/0.log`);
        const entries = (await readFile(logPath, "utf8")).trimEnd().split("\n");
        for (const entry of entries)
          expect(entry).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z std(out|err) [FP] /);
        expect([...(await logOf(runtime, id))].sort()).toEqual([
          "stderr F err",
          "stdout F out",
          "stdout P no newline",
        ]);
        await runtime.removeSandbox(sandbox.id);
      });

      test("the termination message is its file, or the end of the log where the Pod allows it", async () => {
        const { sandbox, id } = await run(["sh", "-c", "echo bye > /last; exit 1"], {
          terminationMessagePath: "/last",
        });
        expect((await inState(runtime, id, "exited")).message).toBe("bye\n");
        const logs = { name: "logs", terminationMessagePolicy: "FallbackToLogsOnError" };
        const other = await create(sandbox, ["sh", "-c", "echo one; echo two >&2; exit 1"], logs);
        await runtime.startContainer(other);
        const { message } = await inState(runtime, other, "exited");
        expect(message?.trim().split("\n").sort()).toEqual(["one", "two"]);
        await runtime.removeSandbox(sandbox.id);
      });

      test("environment, arguments, working directory and hostname are as configured", async () => {
        const more = {
          workingDir: "/made/for me",
          env: [
            { name: "dots.and-dashes", value: "a 'quoted' $value" },
            { name: "-a name", value: "-u" },
          ],
        };
        const { sandbox, id } = await run(["sh", "-c"], { ...more, args: ["pwd; hostname"] });
        expect(await logOf(runtime, id)).toEqual(["stdout F /made/for me", `stdout F ${sandbox.pod.name}`]);
        const other = await create(sandbox, ["env"], { ...more, name: "env" });
        await runtime.startContainer(other);
        expect(await logOf(runtime, other)).toEqual(
          expect.arrayContaining(["stdout F dots.and-dashes=a 'quoted' $value", "stdout F -a name=-u"]),
        );
        await runtime.removeSandbox(sandbox.id);
      });
    });

    describe.skipIf(!features.sessions)("sessions", () => {
      const streams = { stdin: false, stdout: true, stderr: true, tty: false };

      test("exec carries stdin, both outputs and the exit code", async () => {
        const { sandbox, id } = await run(forever);
        const command = ["sh", "-c", "cat; echo err >&2; exit 5"];
        const session = await runtime.exec(id, { ...streams, stdin: true, command });
        session.stdin?.end("in\n");
        const [stdout, stderr] = [read(session.stdout), read(session.stderr)];
        expect([await session.exited, await stdout, await stderr]).toEqual([5, "in\n", "err\n"]);
        const missing = await runtime.exec(id, { ...streams, command: ["no-such-command"] });
        await expect(missing.exited).rejects.toThrow("executable file not found in $PATH");
        await runtime.removeSandbox(sandbox.id);
      });

      test.skipIf(features.lacks?.includes("the end of exec"))(
        "closing an exec kills its process",
        async () => {
          const { sandbox, id } = await run(forever);
          const session = await runtime.exec(id, {
            ...streams,
            command: ["sh", "-c", "echo up; sleep 1000000"],
          });
          await new Promise((resolve) => session.stdout?.once("data", resolve));
          session.close();
          expect(await session.exited).toBe(137);
          await runtime.removeSandbox(sandbox.id);
        },
      );

      test("attach shows new output, and with stdinOnce the end of its input ends the container's", async () => {
        const { sandbox, id } = await run(["sh", "-c", "cat; exit 3"], { stdin: true, stdinOnce: true });
        const session = await runtime.attach(id, { ...streams, stdin: true });
        session.stdin?.end("typed\n");
        expect(await read(session.stdout)).toBe("typed\n");
        expect(await session.exited).toBe(3);
        expect(await logOf(runtime, id)).toEqual(["stdout F typed"]);
        await runtime.removeSandbox(sandbox.id);
      });
    });

    test.skipIf(!features.dial)("dial reaches a port on the sandbox's loopback only", async () => {
      const server = `require("net").createServer({ allowHalfOpen: true }, (s) => { s.write("hi "); s.pipe(s); })
        .listen(8080, "127.0.0.1", () => console.log("up"))`;
      const { sandbox, id } = await run(["node", "-e", server]);
      await logged((await inState(runtime, id, "running")).logPath, "up");
      const connection = await runtime.dial(sandbox.id, 8080);
      connection.end("there");
      expect(await text(connection)).toBe("hi there");
      const refused = runtime.dial(sandbox.id, 8081);
      if (features.lacks?.includes("the refusal of dial"))
        await expect(refused.then(text)).rejects.toMatchObject({ name: "NodePortError" });
      else await expect(refused).rejects.toMatchObject({ reason: "Unavailable" });
      await runtime.removeSandbox(sandbox.id);
    });

    test.skipIf(!features.adoption)(
      "a restarted runtime reports everything that the earlier one did",
      async () => {
        const running = await run(forever);
        const ended = await run(["sh", "-c", "exit 9"]);
        await inState(runtime, ended.id, "exited");
        const before = [
          await sandboxOf(runtime, running.sandbox.id),
          await sandboxOf(runtime, ended.sandbox.id),
        ];
        runtime = await under.restart();
        const after = [
          await sandboxOf(runtime, running.sandbox.id),
          await sandboxOf(runtime, ended.sandbox.id),
        ];
        expect(after).toEqual(before);
        await runtime.stopContainer(running.id, 0);
        expect((await inState(runtime, running.id, "exited")).exitCode).toBe(137);
        for (const { sandbox } of [running, ended]) await runtime.removeSandbox(sandbox.id);
      },
    );
  });
}
