import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { containerConfig, inState, logged, logOf, sandboxConfig } from "../runtime.suite.ts";
import type { Runtime } from "../runtime.ts";
import { nativeUnavailable } from "./native-runtime.ts";
import { hostImageName, ip, openNative, type NativeUnderTest } from "./native.suite.ts";
import { readHandle } from "../process-handle.ts";

const unavailable = nativeUnavailable();
const title = unavailable === undefined ? "native adoption" : `native adoption: ${unavailable}`;

/** Opens a runtime in a separate process, starts containers, prints their IDs, and waits to be killed. */
const program = (options: object, images: string, configs: object) => `
  const from = (path) => import(${JSON.stringify(`${import.meta.dirname}/../../`)} + path);
  const { systemClock: clock } = await from("util/clock.ts");
  const { systemRandom: random } = await from("util/random.ts");
  const { silentLogger: log } = await from("util/logger.ts");
  const { ImageStore } = await from("kubelet/images/image-store.ts");
  const { NativeRuntime } = await from("kubelet/native/native-runtime.ts");
  const env = { clock, random, log };
  const images = await ImageStore.open({ directory: ${JSON.stringify(images)}, env });
  const runtime = await NativeRuntime.open({ ...${JSON.stringify(options)}, env, images });
  const { sandbox, containers } = ${JSON.stringify(configs)};
  const { id } = await runtime.runSandbox(sandbox);
  const ids = [id];
  for (const config of containers) {
    ids.push(await runtime.createContainer(id, config));
    await runtime.startContainer(ids.at(-1));
  }
  console.log(ids.join(" "));
`;

describe.skipIf(unavailable !== undefined)(title, () => {
  let under: NativeUnderTest;
  let runtime: Runtime;

  beforeAll(async () => {
    under = await openNative();
    await under.runtime.close();
  });
  afterAll(() => under.dispose());

  test("containers run, log and end while no runtime runs, and the next runtime reports it", async () => {
    const command = (script: string) => ["sh", "-c", script];
    const mount = {
      hostPath: under.directory,
      containerPath: "/host",
      readOnly: false,
      propagation: "None" as const,
    };
    const containers = [
      containerConfig(hostImageName, command("n=0; while :; do n=$((n+1)); echo tick $n; sleep 0.05; done"), {
        name: "ticks",
      }),
      containerConfig(
        hostImageName,
        command("until [ -e /host/go ]; do sleep 0.02; done; echo last words; exit 23"),
        {
          name: "ends",
          mounts: [mount],
        },
      ),
    ];
    const { stateDirectory, podCIDR, bridge, cgroup } = under.options;
    const source = program({ stateDirectory, podCIDR, bridge, cgroup }, join(under.directory, "images"), {
      sandbox: sandboxConfig("adopted", under.logDirectory),
      containers,
    });
    const child = spawn(process.execPath, ["--input-type=module", "-e", source], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [said] = (await once(child.stdout, "data")) as [Buffer];
    const [sandbox = "", ticks = "", ends = ""] = said.toString().trim().split(" ");
    child.kill("SIGKILL");
    await once(child, "exit");

    await writeFile(join(under.directory, "go"), "");
    await logged(`${under.logDirectory}/adopted/ends/0.log`, "last words");
    const before = await readFile(`${under.logDirectory}/adopted/ticks/0.log`, "utf8");
    const next = before.trim().split("\n").length + 3;
    await logged(`${under.logDirectory}/adopted/ticks/0.log`, `tick ${next}`);

    runtime = await under.restart();
    const [adopted] = await runtime.list();
    expect(adopted).toMatchObject({ id: sandbox, state: "ready", pod: { name: "adopted" } });
    const ended = await inState(runtime, ends, "exited");
    expect(ended).toMatchObject({ exitCode: 23, reason: "Error" });
    expect(ended.finishedAt).toBeGreaterThanOrEqual(ended.startedAt ?? Infinity);
    expect(await logOf(runtime, ends)).toEqual(["stdout F last words"]);
    expect(await inState(runtime, ticks, "running")).toMatchObject({ name: "ticks" });
    const session = await runtime.exec(ticks, {
      command: ["true"],
      stdin: false,
      stdout: true,
      stderr: true,
      tty: false,
    });
    expect(await session.exited).toBe(0);
  });

  test("a killed spawner is replaced, and its containers run on", async () => {
    const [sandbox] = await runtime.list();
    const { id, logPath } = sandbox!.containers.find(({ name }) => name === "ticks")!;
    const lines = async () => (await readFile(logPath, "utf8")).trim().split("\n").length;
    // The supervisors have the same name, and are no children of this process.
    const children = readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").trim().split(" ");
    const spawners = children.filter((pid) => readFileSync(`/proc/${pid}/comm`, "utf8") === "knarr-init\n");
    expect(spawners).toHaveLength(1);
    for (const pid of spawners) process.kill(Number(pid), "SIGKILL");
    await logged(logPath, `tick ${(await lines()) + 3}`);
    const options = { command: ["true"], stdin: false, stdout: true, stderr: true, tty: false };
    await expect.poll(() => runtime.exec(id, options).then(({ exited }) => exited, String)).toBe(0);
    await runtime.stopContainer(id, 0);
  });

  test("a container whose supervisor was killed exits with 255", async () => {
    const sandbox = await runtime.runSandbox(sandboxConfig("lost", under.logDirectory));
    const id = await runtime.createContainer(
      sandbox.id,
      containerConfig(hostImageName, ["sleep", "1000000"]),
    );
    await runtime.startContainer(id);
    const directory = join(under.options.stateDirectory, "containers", id);
    const supervisor = await readHandle(join(directory, "supervisor"));
    process.kill(supervisor!.pid, "SIGKILL");
    expect((await inState(runtime, id, "running")).state).toBe("running");
    await runtime.stopContainer(id, 0);
    expect(await inState(runtime, id, "exited")).toMatchObject({ exitCode: 255, reason: "Error" });
    await runtime.removeSandbox(sandbox.id);
  });

  test("the remains of a sandbox without a record are removed at open", async () => {
    const { stateDirectory, bridge, cgroup } = under.options;
    const stale = "deadbeef".repeat(4);
    const pin = join(stateDirectory, "pins", `${stale}-net`);
    await mkdir(join(stateDirectory, "sandboxes", stale));
    await writeFile(join(stateDirectory, "addresses", "10.1.1.1"), stale);
    await writeFile(pin, "");
    execFileSync("unshare", [`--net=${pin}`, "true"]);
    ip("link", "add", "kndeadbeefdead", "type", "veth", "peer", "name", "kbeef");
    ip("link", "set", "kndeadbeefdead", "master", bridge);
    const groups = globSync(`/sys/fs/cgroup/{,*/}${cgroup}`);
    for (const group of groups) await mkdir(join(group, stale));
    runtime = await under.restart();
    expect(ip("-brief", "link")).not.toContain("beef");
    const left = [...groups, ...["sandboxes", "pins", "addresses"].map((name) => join(stateDirectory, name))];
    const names = left.flatMap((directory) => readdirSync(directory));
    expect(names.filter((name) => name.startsWith("deadbeef") || name === "10.1.1.1")).toEqual([]);
    expect(readFileSync("/proc/mounts", "utf8")).not.toContain(stale);
  });

  test("after a reboot nothing runs, and the remains can be removed", async () => {
    const sandbox = await runtime.runSandbox(sandboxConfig("rebooted", under.logDirectory));
    const id = await runtime.createContainer(
      sandbox.id,
      containerConfig(hostImageName, ["sleep", "1000000"]),
    );
    await runtime.startContainer(id);
    const init = await readHandle(join(under.options.stateDirectory, "containers", id, "init"));
    const supervisor = await readHandle(join(under.options.stateDirectory, "containers", id, "supervisor"));
    for (const { pid } of [supervisor!, init!]) process.kill(pid, "SIGKILL");
    await writeFile(join(under.options.stateDirectory, "boot"), "another boot");
    runtime = await under.restart();
    const found = (await runtime.list()).find((status) => status.id === sandbox.id);
    expect(found).toMatchObject({
      state: "notReady",
      ips: [],
      containers: [{ state: "exited", exitCode: 255 }],
    });
    await runtime.removeSandbox(sandbox.id);
  });
});
