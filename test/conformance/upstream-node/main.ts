import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { machineAddress } from "../../../src/cluster/node-setup.ts";
import { built, missingCommand, type Program as Built } from "../build.ts";
import { startKnarr } from "../cluster.ts";
import { Checks, pod } from "./checks.ts";
import { startContainerd } from "./containerd.ts";
import { writeCredentials } from "./credentials.ts";
import { writeImage } from "./image.ts";
import { KubeProxy } from "./kube-proxy.ts";
import { Program } from "./program.ts";

/** Runs upstream's kubelet with containerd, and upstream's kube-proxy, on a cluster of Knarr's without nodes. */
const version = "-X k8s.io/component-base/version.gitVersion=v1.36.3";
const upstream: Built = {
  name: "upstream-node",
  needs: ["go", "kubectl", "containerd", "ctr", "runc", "busybox", "nft", "openssl", "curl", "nsenter"],
  sources: ["go.mod", "go.sum"],
  build: (out) =>
    ["kubelet", "kube-proxy"].map((name) => [
      "go",
      "build",
      "-ldflags",
      version,
      "-o",
      join(out, name),
      `k8s.io/kubernetes/cmd/${name}`,
    ]),
};

function kubeletConfiguration(directory: string, clientCAFile: string, endpoint: string): string {
  return JSON.stringify({
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    address: machineAddress(),
    port: 12_250,
    healthzPort: 0,
    authentication: { x509: { clientCAFile } },
    cgroupDriver: "cgroupfs",
    failCgroupV1: false,
    failSwapOn: false,
    makeIPTablesUtilChains: false,
    oomScoreAdj: 0,
    clusterDomain: "cluster.local",
    containerRuntimeEndpoint: endpoint,
    podLogsDir: join(directory, "logs"),
    volumePluginDir: join(directory, "plugins"),
    evictionHard: { "nodefs.available": "1%", "imagefs.available": "1%", "memory.available": "50Mi" },
  });
}

async function run(out: string, directory: string): Promise<number> {
  const cleanups: (() => unknown)[] = [() => removeMounted(directory)];
  const folder = (name: string) => {
    mkdirSync(join(directory, name), { recursive: true });
    return join(directory, name);
  };
  try {
    const busybox = spawnSync("sh", ["-c", "command -v busybox"], { encoding: "utf8" }).stdout.trim();
    const archive = writeImage(folder("image"), busybox);
    const cluster = await startKnarr(join(directory, "cluster"), [
      "--runtime",
      "simulated",
      "--nodes",
      "0",
      "--kubelet-preferred-address-types",
      "InternalIP",
    ]);
    cleanups.push(() => cluster.stop());
    const containerd = await startContainerd(folder("containerd"), archive);
    cleanups.push(() => containerd.stop());
    const checks = new Checks(cluster.kubeconfig);
    const pki = join(dirname(cluster.kubeconfig), "pki");
    const server = /"server": "([^"]*)"/.exec(readFileSync(cluster.kubeconfig, "utf8"))?.[1] ?? "";
    const own = folder("kubelet");
    const subject = "/O=system:nodes/CN=system:node:peer-1";
    const kubeconfig = writeCredentials(own, { server, pki, subject });
    const config = join(own, "config.yaml");
    writeFileSync(config, kubeletConfiguration(own, join(pki, "ca.crt"), containerd.endpoint));
    const flags = ["--kubeconfig", kubeconfig, "--config", config, "--hostname-override", "peer-1"];
    const folders = ["--root-dir", join(own, "root"), "--cert-dir", join(own, "pki")];
    const line = [join(out, "kubelet"), ...flags, "--node-ip", machineAddress(), ...folders];
    cleanups.push(cgroupCleanup());
    const kubelet = new Program("kubelet", line, join(own, "log"));
    cleanups.push(() => kubelet.stop());
    const ready = ["wait", "--for=condition=Ready", "--timeout=5s", "node/peer-1"];
    await kubelet.until(() => checks.call(ready).status === 0);
    checks.expect("the kubelet's node is ready", true, "");
    checks.prints("a Pod is created", "created", ["create", "-f", "-"], { input: JSON.stringify(pod) });
    cleanups.push(() => checks.call(["delete", "pod", "--all", "--wait", "--timeout=30s"]));
    checks.prints("the Pod runs", "met", ["wait", "--for=condition=Ready", "--timeout=60s", "pod/web"]);
    await checks.streams();
    checks.prints("nodes/proxy", "ok", ["get", "--raw", "/api/v1/nodes/peer-1/proxy/healthz"]);
    await kubelet.until(() => checks.call(["top", "pod", "web"]).status === 0);
    checks.prints("kubectl top", "web", ["top", "pod", "web"]);
    const proxy = new KubeProxy({
      program: join(out, "kube-proxy"),
      directory: folder("proxy"),
      server,
      pki,
    });
    cleanups.push(() => proxy.stop());
    proxy.start();
    await checkProxy(checks, proxy, busybox, folder("www"));
    return checks.failed;
  } finally {
    for (const cleanup of cleanups.toReversed()) await cleanup();
  }
}

/** Returns the removal of the cgroups that the kubelet makes, unless another kubelet of this machine has made them. */
function cgroupCleanup(): () => void {
  const found = (...words: readonly string[]) =>
    spawnSync("find", ["/sys/fs/cgroup", "-depth", "-type", "d", "-path", "*/kubepods*", ...words]);
  const isOurs = found().stdout.length === 0;
  return () => {
    if (isOurs) found("-exec", "rmdir", "{}", ";");
  };
}

/** Removes a directory in which a stopped kubelet has left mounts. */
function removeMounted(directory: string): void {
  const mounts = readFileSync("/proc/self/mounts", "utf8").split("\n");
  const below = mounts.map((line) => line.split(" ")[1] ?? "").filter((path) => path.startsWith(directory));
  for (const path of below.toReversed()) spawnSync("umount", ["--lazy", path]);
  rmSync(directory, { recursive: true, force: true });
}

/** Calls a Service by its address inside kube-proxy's namespace. */
async function checkProxy(checks: Checks, proxy: KubeProxy, busybox: string, folder: string): Promise<void> {
  checks.prints("a Service is created", "exposed", ["expose", "pod", "web", "--port", "80"]);
  const read = (kind: string, path: string) =>
    checks.call(["get", kind, "web", "-o", `jsonpath={${path}}`]).stdout;
  writeFileSync(join(folder, "index.html"), "by kube-proxy\n");
  proxy.serve(busybox, read("pod", ".status.podIP"), folder);
  const url = `http://${read("service", ".spec.clusterIP")}/index.html`;
  let seen = "";
  for (let i = 0; i < 30 && !seen.includes("by kube-proxy"); i++) {
    seen = proxy.inside("curl", "-s", "--max-time", "2", url).stdout;
    await setTimeout(500);
  }
  checks.expect("kube-proxy routes the Service's address", seen === "by kube-proxy\n", seen);
}

const missing = process.getuid?.() === 0 ? missingCommand(upstream) : "root";
if (missing === undefined) {
  const failed = await run(built(upstream), mkdtempSync(join(tmpdir(), "knarr-upstream-")));
  process.exitCode = failed === 0 ? 0 : 1;
} else process.stdout.write(`Skipped: this needs ${missing}\n`);
