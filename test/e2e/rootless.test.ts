import { type ChildProcess, execFile, spawn } from "node:child_process";
import { globSync, lstatSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, get, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import tar from "tar-stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { kernelName } from "../../src/cluster/data-directory.ts";
import { sha256 } from "../../src/kubelet/images/digest.ts";
import { ociBlobs } from "../../src/kubelet/images/source.suite.ts";
import { initProgram } from "../../src/kubelet/native/init-program.ts";
import {
  asOrdinaryUser,
  ordinaryDirectory,
  ordinaryUser,
  rootlessTestObstacle,
} from "../../src/kubelet/native/ordinary-user.suite.ts";
import { findKubectl } from "../find-kubectl.ts";
import { hostState } from "./host-state.ts";
import { knarr } from "./knarr.ts";

const manifests = join(import.meta.dirname, "../../examples/guestbook");
const kubectlPath = findKubectl("1.33") ?? findKubectl();
const obstacle =
  rootlessTestObstacle() ?? (kubectlPath === undefined ? "kubectl is not on the PATH" : undefined);
if (obstacle !== undefined) process.stderr.write(`knarr up as an ordinary user is not tested: ${obstacle}\n`);

/** Serves one image, whose layer holds one static program at `/program`. */
async function serveImage(): Promise<{ server: Server; image: string }> {
  const pack = tar.pack();
  // The owner does not exist on a node of one user.
  pack.entry({ name: "program", mode: 0o755, uid: 1000, gid: 1000 }, readFileSync(initProgram));
  pack.finalize();
  const layer = await buffer(pack);
  const config = {
    config: { Cmd: ["/program", "hello"] },
    rootfs: { type: "layers", diff_ids: [sha256(layer)] },
  };
  const { blobs, root } = ociBlobs({ tag: "v1", config: JSON.stringify(config), layers: [layer] });
  const server = createServer((request, response) => {
    const [, name = ""] = /^\/v2\/app\/(?:manifests|blobs)\/(.*)$/.exec(request.url ?? "") ?? [];
    const blob = blobs.get(name === "v1" ? root : name);
    return blob === undefined ? response.writeHead(404).end() : response.end(blob);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // Safe: it listens on TCP.
  const { port } = server.address() as AddressInfo;
  return { server, image: `127.0.0.1:${port}/app:v1` };
}

/** The user's processes, without those that have ended. */
function processes(): readonly string[] {
  return globSync("/proc/[0-9]*").flatMap((folder) => {
    try {
      if (lstatSync(folder).uid !== ordinaryUser) return [];
      return /^State:\s+Z/m.test(readFileSync(join(folder, "status"), "utf8"))
        ? []
        : [readFileSync(join(folder, "cmdline"), "utf8").replaceAll("\0", " ")];
    } catch {
      return []; // It has ended.
    }
  });
}

describe.skipIf(obstacle !== undefined)("knarr up as an ordinary user", () => {
  const processesBefore = obstacle === undefined ? processes() : [];
  let folder: string;
  let registry: Awaited<ReturnType<typeof serveImage>>;
  const run = (line: string) => knarr(line.split(" "), { cwd: folder, under: asOrdinaryUser });
  const words = (args: readonly string[]) => [...asOrdinaryUser, kubectlPath ?? "", ...args];
  const kubectlOptions = () => ({
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, KUBECONFIG: join(folder, ".knarr/kubeconfig") },
  });
  const kubectl = async (...args: readonly string[]) => {
    const [command = "", ...rest] = words(args);
    return (await promisify(execFile)(command, rest, kubectlOptions())).stdout;
  };
  const startKubectl = (...args: readonly string[]): ChildProcess => {
    const [command = "", ...rest] = words(args);
    return spawn(command, rest, kubectlOptions());
  };

  beforeAll(async () => {
    folder = ordinaryDirectory("knarr-e2e-");
    registry = await serveImage();
  });
  afterAll(async () => {
    registry.server.close();
    await run("down --cleanup");
    rmSync(folder, { recursive: true, force: true });
  });

  it("starts in the background with containers, and says how", async () => {
    const { code, stdout, stderr } = await run("up --detach --port 0");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("native containers (Linux as an ordinary user: no limits of CPU and memory");
    expect(readFileSync(join(folder, ".knarr/knarr.log"), "utf8")).toBe("");
    expect(await kubectl("get", "nodes", "--no-headers")).toMatch(/^node-1 +Ready/);
  });

  it("runs the guestbook, which a Pod reaches by its Service, and the user by a forwarded port", async () => {
    await kubectl("apply", "-f", manifests);
    await kubectl("rollout", "status", "deployment/guestbook", "--timeout=60s");
    const script = "fetch('http://guestbook/').then((r) => r.text()).then(console.log)";
    expect(await kubectl("exec", "deployment/guestbook", "--", "node", "-e", script)).toContain(
      '"version":"v1"',
    );
    const forward = startKubectl("port-forward", "service/guestbook", ":80");
    const port = await new Promise<string>((resolve) => {
      forward.stdout?.on("data", (chunk: Buffer) => {
        const found = /127\.0\.0\.1:(\d+)/.exec(chunk.toString())?.[1];
        if (found !== undefined) resolve(found);
      });
    });
    const answer = await new Promise<string>((resolve, reject) => {
      get(`http://127.0.0.1:${port}/`, { agent: false }, (response) => {
        response.setEncoding("utf8").on("data", resolve);
      }).on("error", reject);
    });
    expect(answer).toContain('"version":"v1"');
    forward.kill();
  });

  it("pulls an image from a registry of the machine, and runs its program", async () => {
    await kubectl("run", "pulled", `--image=${registry.image}`, "--restart=Never");
    await kubectl("wait", "pod/pulled", "--for=jsonpath={.status.phase}=Failed", "--timeout=30s");
    expect(await kubectl("logs", "pulled")).toBe("unknown command: hello\n");
  });

  it("refuses another user than root, and says why", async () => {
    const overrides = JSON.stringify({ spec: { securityContext: { runAsUser: 1000 } } });
    await kubectl(
      "run",
      "other",
      "--image=knarr.local/host:latest",
      `--overrides=${overrides}`,
      "--",
      "sleep",
      "1",
    );
    const reason = "{.status.containerStatuses[0].state.waiting.reason}";
    await kubectl("wait", "pod/other", `--for=jsonpath=${reason}=CreateContainerError`, "--timeout=30s");
    expect(await kubectl("describe", "pod", "other")).toContain(
      "user 1000 does not exist on this rootless node",
    );
    await kubectl("delete", "pod", "pulled", "other", "--grace-period=1");
  });

  it.each(["SIGTERM", "SIGKILL"] as const)("finds its containers again after %s", async (signal) => {
    const path = "jsonpath={.items[*].status.containerStatuses[0].containerID}";
    const containers = () => kubectl("get", "pods", "-l", "app=guestbook", "-o", path);
    const present = await containers();
    if (signal === "SIGTERM") expect((await run("down")).code).toBe(0);
    else {
      // Safe: Knarr has written it.
      const { pid } = JSON.parse(readFileSync(join(folder, ".knarr/running.json"), "utf8")) as {
        pid: number;
      };
      process.kill(pid, signal);
    }
    expect((await run("up --detach --port 0")).code).toBe(0);
    await kubectl("rollout", "status", "deployment/guestbook", "--timeout=60s");
    expect(await containers()).toBe(present);
    const script = "fetch('http://guestbook/').then((r) => r.text()).then(console.log)";
    expect(await kubectl("exec", "deployment/guestbook", "--", "node", "-e", script)).toContain(
      '"version":"v1"',
    );
  });

  it("begins its containers anew when their namespaces have ended", async () => {
    // Safe: Knarr has written it.
    const { pid } = JSON.parse(readFileSync(join(folder, ".knarr/running.json"), "utf8")) as { pid: number };
    const holder = Number.parseInt(readFileSync(join(folder, ".knarr/rootless/holder"), "utf8"), 10);
    for (const one of [pid, holder]) process.kill(one, "SIGKILL");
    expect((await run("up --detach --port 0")).code).toBe(0);
    const path = "{.status.containerStatuses[0].restartCount}";
    await kubectl("wait", "pod", "-l", "app=guestbook", `--for=jsonpath=${path}=1`, "--timeout=30s");
    await kubectl("rollout", "status", "deployment/guestbook", "--timeout=60s");
    const script = "fetch('http://guestbook/').then((r) => r.text()).then(console.log)";
    expect(await kubectl("exec", "deployment/guestbook", "--", "node", "-e", script)).toContain(
      '"version":"v1"',
    );
  });

  it("is removed with everything that it has made, while it is stopped and has containers", async () => {
    expect((await run("down")).code).toBe(0);
    expect(processes().join("\n")).toContain("/app/server.js");
    const { code, stdout, stderr } = await run("down --cleanup");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("nothing is left");
    expect(readdirSync(folder).filter((name) => name.startsWith(".knarr"))).toEqual([]);
    await expect.poll(processes).toEqual(processesBefore);
    const traces = JSON.stringify(hostState());
    for (const trace of [folder, kernelName(join(folder, ".knarr"))]) expect(traces).not.toContain(trace);
  });

  it("simulates nodes where user namespaces are forbidden, and says why", async () => {
    const forbid =
      'echo 0 > /proc/sys/user/max_user_namespaces && exec setpriv --bounding-set=-all --inh-caps=-all --ambient-caps=-all "$@"';
    const under = [
      ...asOrdinaryUser,
      "unshare",
      "--user",
      "--map-current-user",
      "--keep-caps",
      "sh",
      "-c",
      forbid,
      "-",
    ];
    const { code, stdout } = await knarr(["up", "--detach", "--port", "0"], { cwd: folder, under });
    expect(code).toBe(0);
    expect(stdout).toContain(
      "no containers here: user namespaces are disabled (user.max_user_namespaces is 0)",
    );
    const native = await knarr(["up", "--runtime", "native", "--port", "0", "--data-dir", "other"], {
      cwd: folder,
      under,
    });
    expect([native.code, native.stderr]).toEqual([
      1,
      "error: Cannot use --runtime native: user namespaces are disabled (user.max_user_namespaces is 0)\n",
    ]);
    expect((await run("down --cleanup")).code).toBe(0);
  });

  it("leaves nothing of a start that fails", async () => {
    const { port } = registry.server.address() as AddressInfo;
    const { code, stderr } = await run(`up --port ${port}`);
    expect(code).toBe(1);
    expect(stderr).toContain(`Cannot listen on 127.0.0.1:${port}: another program has this port`);
    expect(readdirSync(folder).filter((name) => name.startsWith(".knarr"))).toEqual([]);
    await expect.poll(processes).toEqual(processesBefore);
  });
});
