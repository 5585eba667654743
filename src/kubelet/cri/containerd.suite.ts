import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { closeSync, existsSync, globSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { chmod, copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { systemClock } from "../../util/clock.ts";
import { silentLogger } from "../../util/logger.ts";
import { systemRandom } from "../../util/random.ts";
import type { RuntimeUnderTest } from "../runtime.suite.ts";
import { type RuntimeFixture, useRuntime } from "../runtime-fixture.suite.ts";
import { CriRuntime } from "./cri-runtime.ts";
import type { CriOptions } from "./options.ts";

const env = { clock: systemClock, random: systemRandom, log: silentLogger };
export const testImage = "knarr.test/tools:v1";
const plugins = "/usr/lib/cni";
/** The time for the start of containerd and the import of the image, on a machine that is busy. */
const hookMs = 60_000;

/** Returns the reason why containerd cannot be tested here; undefined when it can. */
export function containerdUnavailable(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "containerd needs Linux and root";
  const missing = ["containerd", "ctr", "runc", "busybox"].find((name) => find(name) === undefined);
  if (missing !== undefined) return `${missing} is not installed`;
  return existsSync(join(plugins, "bridge")) ? undefined : `there are no CNI plugins in ${plugins}`;
}

function find(name: string): string | undefined {
  const folders = ["/usr/sbin", "/usr/bin", "/sbin", "/bin", "/usr/local/bin"];
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
}

/** A containerd of its own, in its own folders and with its own network. */
export interface Containerd {
  readonly socket: string;
  readonly directory: string;
  readonly mark: string;
  /** Stops it, and checks that nothing is left on the machine. */
  stop(): Promise<void>;
}

let started = 0;

/** Starts containerd with the test's image. A blackhole route keeps packets to its Pods on the machine. */
export async function startContainerd(): Promise<Containerd> {
  const mark = `${process.pid}x${started++}`;
  const directory = await mkdtemp(join(tmpdir(), `knarr-cri-${mark}-`));
  const subnet = `10.${150 + (process.pid % 50)}.${started + 10}.0/24`;
  const socket = join(directory, "c.sock");
  const before = hostTraces(mark);
  ip("route", "add", "blackhole", subnet, "metric", "4096");
  await writeConfiguration(directory, `kc${mark}`, subnet);
  const daemon = await startDaemon(directory, socket);
  await importImage(directory, socket);
  return {
    socket,
    directory,
    mark,
    async stop() {
      const ended = new Promise((resolve) => daemon.once("exit", resolve));
      daemon.kill("SIGTERM");
      await ended;
      removeRest(mark);
      if (ip("-brief", "link").includes(`kc${mark}`)) ip("link", "del", `kc${mark}`);
      ip("route", "del", "blackhole", subnet, "metric", "4096");
      await rm(directory, { recursive: true });
      expect(hostTraces(mark)).toEqual(before);
    },
  };
}

async function writeConfiguration(directory: string, bridge: string, subnet: string): Promise<void> {
  await mkdir(join(directory, "cni"));
  const network = {
    cniVersion: "0.4.0",
    name: "knarr-test",
    plugins: [
      {
        type: "bridge",
        bridge,
        isGateway: true,
        ipMasq: false,
        hairpinMode: true,
        ipam: {
          type: "host-local",
          dataDir: join(directory, "ipam"),
          ranges: [[{ subnet }]],
          routes: [{ dst: "0.0.0.0/0" }],
        },
      },
    ],
  };
  await writeFile(join(directory, "cni/10-test.conflist"), JSON.stringify(network));
  await writeFile(
    join(directory, "config.toml"),
    `version = 2
root = "${directory}/root"
state = "${directory}/state"
[grpc]
  address = "${join(directory, "c.sock")}"
[ttrpc]
  address = "${join(directory, "c.sock.ttrpc")}"
[plugins."io.containerd.internal.v1.opt"]
  path = "${directory}/opt"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${testImage}"
  restrict_oom_score_adj = true
  disable_apparmor = true
  stream_server_address = "127.0.0.1"
  stream_server_port = "0"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "${plugins}"
    conf_dir = "${directory}/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = false
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.second]
      runtime_type = "io.containerd.runc.v2"
`,
  );
}

/** A spawned runtime gets files for its output: a pipe would keep this process waiting for its shims. */
async function startDaemon(directory: string, socket: string): Promise<ChildProcess> {
  const log = openSync(join(directory, "containerd.log"), "a");
  const daemon = spawn("containerd", ["--config", join(directory, "config.toml")], {
    stdio: ["ignore", log, log],
    env: { ...process.env, PATH: `${process.env["PATH"]}:/usr/sbin:/sbin` },
  });
  closeSync(log);
  const isUp = () => {
    if (daemon.exitCode !== null) throw new Error(readFileSync(join(directory, "containerd.log"), "utf8"));
    try {
      execFileSync("ctr", ["-a", socket, "version"], { stdio: "ignore" });
      return true;
    } catch {
      return false;
    }
  };
  while (!isUp()) await new Promise((resolve) => setImmediate(resolve));
  return daemon;
}

/** Imports an image with busybox, node and their libraries. Its entrypoint waits, as the pause image's does. */
async function importImage(directory: string, socket: string): Promise<void> {
  const archive = await imageArchive(directory);
  execFileSync("ctr", ["-a", socket, "-n", "k8s.io", "images", "import", archive], { stdio: "ignore" });
}

async function imageArchive(directory: string): Promise<string> {
  const root = join(directory, "rootfs");
  for (const folder of ["bin", "etc", "tmp", "proc", "sys", "dev"])
    await mkdir(join(root, folder), { recursive: true });
  await chmod(join(root, "tmp"), 0o1777);
  await copyFile(find("busybox") ?? "", join(root, "bin/busybox"));
  for (const applet of "sleep cat env pwd hostname id ls echo touch stat mount grep nc head".split(" "))
    await symlink("busybox", join(root, "bin", applet));
  await writeFile(join(root, "etc/passwd"), "root:x:0:0::/:/bin/sh\nalice:x:1000:1000::/:/bin/sh\n");
  await writeFile(join(root, "etc/group"), "root:x:0:\nalice:x:1000:\nextra:x:2000:alice\n");
  for (const [name, program] of [
    ["sh", "/bin/sh"],
    ["node", process.execPath],
  ] as const) {
    const libraries = execFileSync("ldd", [program], { encoding: "utf8" }).match(/\/\S+/g) ?? [];
    for (const file of libraries) {
      mkdirSync(join(root, dirname(file)), { recursive: true });
      await copyFile(file, join(root, file));
    }
    await copyFile(program, join(root, "bin", name));
  }
  return packImage(directory, root);
}

/** Packs a folder as an OCI layout with one layer. */
async function packImage(directory: string, root: string): Promise<string> {
  const layout = join(directory, "layout");
  const blobs = join(layout, "blobs/sha256");
  await mkdir(blobs, { recursive: true });
  execFileSync("tar", ["-C", root, "--numeric-owner", "-cf", join(directory, "layer.tar"), "."]);
  const put = (data: Buffer | string, mediaType: string) => {
    const bytes = Buffer.from(data);
    const digest = createHash("sha256").update(bytes).digest("hex");
    writeFileSync(join(blobs, digest), bytes);
    return {
      mediaType: `application/vnd.oci.image.${mediaType}`,
      digest: `sha256:${digest}`,
      size: bytes.length,
    };
  };
  const layer = put(readFileSync(join(directory, "layer.tar")), "layer.v1.tar");
  const config = put(
    JSON.stringify({
      architecture: process.arch === "x64" ? "amd64" : process.arch,
      os: "linux",
      config: { Env: ["PATH=/bin"], Cmd: ["sleep", "1000000"] },
      rootfs: { type: "layers", diff_ids: [layer.digest] },
    }),
    "config.v1+json",
  );
  const manifest = put(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: "application/vnd.oci.image.manifest.v1+json",
      config,
      layers: [layer],
    }),
    "manifest.v1+json",
  );
  const annotations = { "io.containerd.image.name": testImage };
  await writeFile(join(layout, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
  await writeFile(
    join(layout, "index.json"),
    JSON.stringify({ schemaVersion: 2, manifests: [{ ...manifest, annotations }] }),
  );
  const archive = join(directory, "image.tar");
  execFileSync("tar", ["-C", layout, "-cf", archive, "."]);
  await rm(root, { recursive: true });
  return archive;
}

/** Ends shims and mounts that a failed test has left. */
function removeRest(mark: string): void {
  const traces = hostTraces(mark);
  for (const pid of traces.processes) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended since.
    }
  }
  for (const target of traces.mounts) execFileSync("umount", ["-l", target]);
}

/** Returns everything on the machine that a runtime could leave behind. */
function hostTraces(mark: string) {
  const name = `knarr-cri-${mark}-`;
  const isOurs = (file: string) => {
    try {
      return readFileSync(file, "utf8").includes(name);
    } catch {
      return false;
    }
  };
  return {
    mounts: readFileSync("/proc/self/mountinfo", "utf8")
      .split("\n")
      .filter((line) => line.includes(name))
      .map((line) => line.split(" ")[4] ?? "")
      .reverse(),
    processes: globSync("/proc/[0-9]*/cmdline")
      .filter(isOurs)
      .map((file) => Number(file.split("/")[2])),
    links: ip("-brief", "link").match(new RegExp(`\\bkc${mark}\\b`, "g")) ?? [],
    cgroups: globSync(`/sys/fs/cgroup/{,*/}knarr-test-${mark}`),
  };
}

export function ip(...args: readonly string[]): string {
  return execFileSync("ip", args, { encoding: "utf8" });
}

export interface CriUnderTest extends RuntimeUnderTest {
  readonly runtime: CriRuntime;
  readonly options: CriOptions;
  readonly containerd: Containerd;
}

/** Opens a runtime over a containerd of its own. */
export async function openCri(more: Partial<CriOptions> = {}): Promise<CriUnderTest> {
  const containerd = await startContainerd();
  const { directory, mark, socket } = containerd;
  const options: CriOptions = {
    env,
    socket,
    stateDirectory: join(directory, "agent"),
    seccompDirectory: join(directory, "seccomp"),
    owner: `test-${mark}`,
    ...more,
  };
  let runtime = await CriRuntime.open(options);
  return {
    runtime,
    options,
    containerd,
    image: testImage,
    logDirectory: join(directory, "logs"),
    async restart() {
      await runtime.close();
      return (runtime = await CriRuntime.open(options));
    },
    async dispose() {
      await runtime.destroyAll();
      await containerd.stop();
    },
  };
}

/** Opens a runtime before the tests of this block, and removes it after them. */
export function useCri(): RuntimeFixture<CriUnderTest> {
  return useRuntime(openCri, hookMs);
}
