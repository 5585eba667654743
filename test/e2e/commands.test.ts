import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { nativeUnavailable } from "../../src/kubelet/native/native-runtime.ts";
import { kernelName } from "../../src/cluster/data-directory.ts";
import { isAlive } from "../../src/kubelet/process-handle.ts";
import type { Running } from "../../src/cluster/running.ts";
import { commandName } from "../../src/cli/invocation.ts";
import { hostState } from "./host-state.ts";
import { knarr, type RunOptions } from "./knarr.ts";

let folder: string;
const run = (line: string, options: Omit<RunOptions, "cwd"> = {}) =>
  knarr(line.split(" "), { cwd: folder, ...options });
/** Runs a start that should fail; stops the cluster if the start succeeds. */
const fail = (line: string) =>
  run(line, { onOutput: (stdout, kill) => void (stdout.includes("Ready in") && kill("SIGTERM")) });
const path = (name: string) => join(folder, name);
/** The command that hints show in the test's folder. */
const program = () =>
  commandName({ argv: ["", join(import.meta.dirname, "../../bin/knarr.js")], env: {}, cwd: folder });
const simulated = "up --runtime simulated --port 0";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "knarr-e2e-"));
});
afterEach(async () => {
  await run("down --cleanup");
  rmSync(folder, { recursive: true, force: true });
});

describe("a start that fails", () => {
  it.each(["simulated", ...(nativeUnavailable() === undefined ? ["native"] : [])])(
    "because its port is taken ends at once, says what to do and leaves nothing (%s)",
    async (runtime) => {
      const taken = createServer().listen(0, "127.0.0.1");
      await new Promise((resolve) => taken.once("listening", resolve));
      const address = taken.address();
      const port = typeof address === "object" ? address?.port : undefined;
      const { code, stderr } = await fail(`up --runtime ${runtime} --port ${port}`);
      taken.close();
      expect(code).toBe(1);
      expect(stderr).toBe(
        `error: Cannot listen on 127.0.0.1:${port}: another program has this port; ` +
          "choose another with --port, or any free one with --port 0\n",
      );
      expect(readdirSync(folder)).toEqual([]);
      const traces = JSON.stringify(runtime === "native" ? hostState() : {});
      for (const trace of [folder, kernelName(path(".knarr"))]) expect(traces).not.toContain(trace);
    },
  );

  it("because its address is not this machine's says so", async () => {
    const { code, stderr } = await fail(`${simulated} --bind-address 192.0.2.77`);
    expect([code, stderr]).toEqual([
      1,
      "error: Cannot listen on 192.0.2.77:0: this machine has no such address; choose one that it has with --bind-address\n",
    ]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("because it is interrupted leaves nothing", async () => {
    const { code } = await run(simulated, {
      onOutput: (stdout, kill) => void (stdout.includes("Keys") && kill("SIGINT")),
    });
    expect(code).toBe(130);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("because of a damaged key names it, and makes no new one", async () => {
    await run(`${simulated} --detach`);
    await run("down");
    const key = path(".knarr/pki/ca.key");
    const whole = readFileSync(key, "utf8");
    writeFileSync(key, whole.slice(0, 100));
    const { code, stderr } = await fail(simulated);
    expect([code, stderr]).toEqual([
      1,
      `error: Cannot use ${key}: it holds no whole key; restore it from a backup, or remove the cluster with all its data: ${program()} down --cleanup --data-dir ${path(".knarr")}\n`,
    ]);
    expect(readFileSync(key, "utf8")).toBe(whole.slice(0, 100));
    rmSync(path(".knarr/pki"), { recursive: true });
    expect((await fail(simulated)).stderr).toContain("ca.crt: it is missing");
  });

  it("because of a flipped byte in the store names the object", async () => {
    await run(`${simulated} --detach`);
    await run("down");
    const file = path(".knarr/store.db");
    // Pages keep copies of moved entries, so each copy is changed.
    const text = readFileSync(file, "latin1").replaceAll(
      '"name":"kube-node-lease"',
      '"name":"kube-node-leasf"',
    );
    writeFileSync(file, text, "latin1");
    const { code, stderr } = await fail(simulated);
    expect(code).toBe(1);
    expect(stderr).toContain(
      `Cannot open the store ${file}: "/registry/namespaces/kube-node-lease" at revision`,
    );
    expect(stderr).toContain("is damaged: its checksum is another; restore the file from a backup");
  });
});

describe("a cluster in the background", () => {
  it("is started, shown, kept from a second start, stopped, started again and removed", async () => {
    expect(await run("status")).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("there is none") as string,
    });
    const up = await run(`${simulated} --detach`);
    expect(up).toMatchObject({ code: 0, stderr: "" });
    expect(up.stdout).toMatch(/✓ API server {2}https:\/\/127\.0\.0\.1:\d+\n[^]*Ready in \d+ ms/);

    const shown = await run("status -o json");
    expect(shown.code).toBe(0);
    const status = JSON.parse(shown.stdout) as { pid: number };
    const running = JSON.parse(readFileSync(path(".knarr/running.json"), "utf8")) as Running;
    expect(status).toMatchObject({ state: "ready", runtime: "simulated", dataDir: path(".knarr") });

    expect(await fail(simulated)).toMatchObject({
      code: 1,
      stderr: `error: Cannot use ${path(".knarr")}: a cluster already runs there (pid ${status.pid}); stop it, or choose another --data-dir or --name: ${program()} down --data-dir ${path(".knarr")}\n`,
    });
    expect((await run("status")).code).toBe(0);

    expect(await run("down")).toMatchObject({
      code: 0,
      stdout: `Stopped the cluster in ${path(".knarr")}.\n`,
    });
    expect(await isAlive(running)).toBe(false);
    expect(await run("down")).toMatchObject({ code: 0, stdout: `No cluster runs in ${path(".knarr")}.\n` });
    expect((await run("status")).stdout).toContain("stopped");

    expect((await run(`${simulated} -d -o json`)).stdout).toMatch(/^\{"server":.*"readyMs":\d+.*\}\n$/);
    expect((await run("down --cleanup")).code).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("says why it did not start", async () => {
    const { code, stderr } = await run(`${simulated} --detach --bind-address 192.0.2.77`);
    expect([code, stderr]).toMatchObject([
      1,
      expect.stringContaining("this machine has no such address") as string,
    ]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("has a directory and a context by its name, which is merged into the user's kubeconfig until it is removed", async () => {
    const config = path(".kube/config");
    mkdirSync(path(".kube"));
    writeFileSync(config, "# mine\ncontexts: []\ncurrent-context: work\n", { mode: 0o644 });
    const state = { XDG_STATE_HOME: path("state") };
    const directory = path("state/knarr/dev");
    // Root's clusters are below /var/lib instead.
    const where = process.getuid?.() === 0 ? `--data-dir ${directory} ` : "";
    const up = await run(`${simulated} --detach --merge --name dev ${where}`.trim(), { env: state });
    expect(up).toMatchObject({ code: 0, stderr: "" });
    const merged = readFileSync(config, "utf8");
    expect(merged).toMatch(/^# mine\n/);
    expect(parse(merged)).toMatchObject({
      "current-context": "knarr-dev",
      contexts: [{ name: "knarr-dev", context: { cluster: "knarr-dev", user: "knarr-dev-admin" } }],
    });
    expect(statSync(config).mode & 0o777).toBe(0o600);
    expect((await run(`down --cleanup --name dev ${where}`.trim(), { env: state })).code).toBe(0);
    expect(parse(readFileSync(config, "utf8"))).toMatchObject({ contexts: [], "current-context": "" });
    expect(existsSync(directory)).toBe(false);
  });
});

describe("the README", () => {
  const readme = readFileSync(join(import.meta.dirname, "../../README.md"), "utf8");
  const block = /```sh\n(npx knarr up[^`]*)```/.exec(readme)?.[1] ?? "";
  const lines = block.split("\n").map((line) => line.replace(/ *#.*/, "").trim());

  it("shows commands that work one after the other", async () => {
    const commands = lines.filter((line) => line !== "").map((line) => line.replace(/^npx knarr /, ""));
    expect(commands).toHaveLength(4);
    for (const command of commands) {
      const line = command.startsWith("up") ? `${command} --runtime simulated --port 0` : command;
      expect(await run(line)).toMatchObject({ code: 0, stderr: "" });
    }
    expect(readdirSync(folder)).toEqual([".kube"]);
  });
});

describe.skipIf(process.getuid?.() !== 0)("under sudo", () => {
  it("the kubeconfig is the user's, and nothing else is", async () => {
    const env = { SUDO_UID: "65534", SUDO_GID: "65534" };
    await run(`${simulated} --detach`, { env });
    const facts = (name: string) => {
      const { uid, mode } = statSync(path(name));
      return [uid, (mode & 0o777).toString(8)];
    };
    expect(facts(".knarr")).toEqual([0, "711"]);
    for (const name of readdirSync(path(".knarr"))) {
      const [uid, mode] = facts(`.knarr/${name}`);
      expect([name, uid]).toEqual([name, name === "kubeconfig" ? 65534 : 0]);
      expect([name, mode]).toEqual([
        name,
        name === "running.json" ? "644" : expect.stringMatching(/^[67]00$/),
      ]);
    }
    await run("down");
  });

  it("a link in the place of the kubeconfig is replaced, and the link's target stays root's", async () => {
    const target = path("precious");
    writeFileSync(target, "precious", { mode: 0o600 });
    const link = path("link");
    symlinkSync(target, link);
    const env = { SUDO_UID: "65534", SUDO_GID: "65534" };
    await run(`${simulated} --detach --kubeconfig ${link} --kubeconfig-mode 640`, { env });
    expect([readFileSync(target, "utf8"), statSync(target).uid]).toEqual(["precious", 0]);
    expect([lstatSync(link).isFile(), lstatSync(link).uid, lstatSync(link).mode & 0o777]).toEqual([
      true,
      65534,
      0o640,
    ]);
    await run("down --cleanup");
    expect(existsSync(link)).toBe(false);
  });
});

const hasScript = spawnSync("script", ["--version"]).status === 0;
if (!hasScript) process.stderr.write("Keys are not tested: script (util-linux) is not on the PATH\n");

describe.skipIf(!hasScript)("on a terminal", () => {
  /** Runs `up` in a terminal of its own and presses keys when it is ready. Returns everything that is shown. */
  async function pressed(
    keys: string,
    env: Record<string, string>,
  ): Promise<{ shown: string; code: number | null }> {
    const command = `exec ${process.execPath} ${join(import.meta.dirname, "../../bin/knarr.js")} ${simulated}`;
    const child = spawn("script", ["-qfec", command, "/dev/null"], {
      cwd: folder,
      env: { PATH: process.env["PATH"], HOME: folder, ...env },
      stdio: ["pipe", "pipe", "inherit"],
    });
    let shown = "";
    let isPressed = false;
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      shown += text;
      // The last line, printed when keys are already read.
      if (isPressed || !/stop and clean up|Ctrl-C stops/.test(shown)) return;
      isPressed = true;
      child.stdin.write(keys);
    });
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
    return { shown, code };
  }

  it("shows steps in colours as they happen, and stops by a key", async () => {
    const { shown, code } = await pressed("q", { TERM: "xterm-256color" });
    expect(code).toBe(0);
    expect(shown).toContain("\r\x1b[2K \x1b[32m✓\x1b[39m API server");
    expect(shown).toContain("\x1b[1m Ready in ");
    expect(shown).toContain("\x1b[36m→\x1b[39m kubectl get nodes");
    expect(shown).toContain(`Stopped. Start it again: ${program()} up`);
    expect(existsSync(path(".knarr/store.db"))).toBe(true);
  });

  it("cleans up by another key, without colours when they are disabled", async () => {
    const { shown, code } = await pressed("c", { TERM: "xterm-256color", NO_COLOR: "1" });
    expect(code).toBe(0);
    expect(shown).toContain(" ✓ API server");
    expect(shown).not.toContain("\x1b[3");
    expect(shown).toContain("Stopped; nothing is left.");
    expect(readdirSync(folder)).toEqual([]);
  });

  it("writes plain lines on a simple terminal, and ends with Ctrl-C", async () => {
    const { shown, code } = await pressed("\x03", { TERM: "dumb" });
    expect(code).toBe(0);
    expect(shown).not.toContain("\x1b");
    expect(shown.replaceAll("\r\n", "")).not.toContain("\r");
  });
});

describe("small commands", () => {
  it("print both versions", async () => {
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8")) as {
      version: string;
    };
    for (const line of ["--version", "-v", "version"])
      expect((await run(line)).stdout).toBe(`knarr ${version} (Kubernetes v1.36.0+knarr)\n`);
  });

  it("print help for a command by its name", async () => {
    expect((await run("help up")).stdout).toBe((await run("up --help")).stdout);
  });

  it("fail for an image that does not exist, and outside of a cluster", async () => {
    const outside = await run("image ls");
    expect(outside).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("There is no cluster in") as string,
    });
    mkdirSync(path("app"));
    expect(await run("image build app -t knarr.local/app:v1")).toMatchObject({ code: 0 });
    expect(await run("image rm nope")).toMatchObject({
      code: 1,
      stderr: "error: Cannot remove nope: there is no such image\n",
    });
    expect(await run("image rm knarr.local/app:v1")).toMatchObject({ code: 0, stderr: "" });
  });

  it("refuse invalid flags", async () => {
    expect((await run("up --port x")).stderr).toContain(
      'invalid argument "x" for "--port" flag: it must be an integer',
    );
    expect((await run("up --port 70000")).stderr).toContain("--port must be between 0 and 65535");
    expect((await run("up --kubeconfig-mode 9")).stderr).toContain("--kubeconfig-mode must be an octal mode");
    expect((await run("up --name A/B")).stderr).toContain("--name must be lower-case letters");
  });
});
