import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { image } from "./image.ts";
import { Program } from "./program.ts";

/** The addresses of Pods, on a bridge of their own. */
const podCIDR = "10.251.0.0/24";
const bridge = "knarr-peer0";
const plugins = "/usr/lib/cni";

export interface Containerd {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** Starts a containerd with folders and a bridge of its own, and imports the image. */
export async function startContainerd(directory: string, archive: string): Promise<Containerd> {
  const networks = join(directory, "cni");
  mkdirSync(networks, { recursive: true });
  const ipam = {
    type: "host-local",
    ranges: [[{ subnet: podCIDR }]],
    dataDir: join(directory, "ipam"),
  };
  const network = { type: "bridge", bridge, isGateway: true, ipMasq: false, ipam };
  writeFileSync(
    join(networks, "10-peer.conflist"),
    JSON.stringify({ cniVersion: "1.0.0", name: "peer", plugins: [network] }),
  );
  const socket = join(directory, "containerd.sock");
  const file = join(directory, "config.toml");
  writeFileSync(file, configuration(directory, socket, networks));
  const program = new Program("containerd", ["containerd", "--config", file], join(directory, "log"));
  const ctr = (...words: readonly string[]) =>
    spawnSync("ctr", ["-a", socket, "-n", "k8s.io", ...words], { encoding: "utf8", timeout: 20_000 });
  await program.until(() => ctr("version").status === 0);
  execFileSync("ctr", ["-a", socket, "-n", "k8s.io", "images", "import", archive], { stdio: "ignore" });
  return {
    endpoint: `unix://${socket}`,
    async stop() {
      // Containers that a failed run has left would keep their shims.
      for (const id of ctr("tasks", "ls", "-q").stdout.split("\n").filter(Boolean)) {
        ctr("tasks", "kill", "-s", "SIGKILL", id);
        ctr("tasks", "rm", "-f", id);
      }
      await program.stop();
      spawnSync("ip", ["link", "del", bridge]);
    },
  };
}

function configuration(directory: string, socket: string, networks: string): string {
  return `version = 2
root = "${join(directory, "root")}"
state = "${join(directory, "state")}"
[grpc]
  address = "${socket}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${image}"
  restrict_oom_score_adj = true
  stream_server_address = "127.0.0.1"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      SystemdCgroup = false
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "${plugins}"
    conf_dir = "${networks}"
`;
}
