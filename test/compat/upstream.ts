import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPeer } from "../../bench/peer.ts";
import { Client } from "../../src/client/client.ts";
import { HttpTransport } from "../../src/client/http.ts";
import { loadKubeconfig, resolveContext, type Kubeconfig } from "../../src/client/kubeconfig.ts";
import { simulatedNode } from "../../src/cluster/node-setup.ts";
import { Kubelet } from "../../src/kubelet/kubelet.ts";
import { systemClock } from "../../src/util/clock.ts";
import { silentLogger } from "../../src/util/logger.ts";
import { systemRandom } from "../../src/util/random.ts";
import { type Stage, type Subject, untilNodeIsReady } from "./subject.ts";

/** Paths of upstream's programs. */
export interface Programs {
  readonly etcd: string;
  readonly kubeApiserver: string;
  /** The programs that only whole clusters need. */
  readonly kubeControllerManager: string | undefined;
  readonly kubeScheduler: string | undefined;
}

/** Starts upstream's own server; for a cluster, its controllers and scheduler too. */
export async function startUpstream(stage: Stage, programs: Programs): Promise<Subject> {
  const peer = await startPeer(programs);
  const config = JSON.parse(readFileSync(peer.kubeconfig, "utf8")) as Kubeconfig;
  const { connection } = await resolveContext(await loadKubeconfig([peer.kubeconfig]));
  const transport = new HttpTransport(connection, { clock: systemClock });
  const client = new Client(transport);
  const stopRest =
    stage === "server"
      ? async () => {}
      : await startRest(programs, peer.kubeconfig, connection.ca ?? "", transport);
  if (stage === "cluster") await untilNodeIsReady(client);
  return {
    config,
    client,
    stop: async () => {
      await stopRest();
      await transport.close();
      await peer.stop();
    },
  };
}

/** Starts the components that make a server a cluster. The node is a simulated node of Knarr. */
async function startRest(
  { kubeControllerManager, kubeScheduler }: Programs,
  kubeconfig: string,
  ca: string,
  transport: HttpTransport,
): Promise<() => Promise<void>> {
  if (kubeControllerManager === undefined || kubeScheduler === undefined)
    throw new TypeError(
      "Cannot record a cluster: --kube-controller-manager and --kube-scheduler must say where the two programs are",
    );
  const directory = mkdtempSync(join(tmpdir(), "knarr-compat-upstream-"));
  writeFileSync(join(directory, "ca.crt"), ca);
  const common = [`--kubeconfig=${kubeconfig}`, "--leader-elect=false", "--secure-port=0"];
  const start = (program: string, ...flags: readonly string[]): ChildProcess =>
    spawn(program, [...common, ...flags], { cwd: directory, stdio: "ignore" });
  const processes = [
    start(kubeControllerManager, `--root-ca-file=${join(directory, "ca.crt")}`),
    start(kubeScheduler),
  ];
  const stop = new AbortController();
  const env = { clock: systemClock, random: systemRandom, log: silentLogger };
  const kubelet = new Kubelet({
    ...simulatedNode(env, "node-1", 0),
    env,
    transport,
    dns: { address: undefined, domain: "cluster.local" },
  });
  const running = kubelet.run(stop.signal).catch(() => {});
  return async () => {
    stop.abort();
    await running;
    const ended = Promise.all(processes.map((one) => once(one, "exit")));
    for (const one of processes) one.kill("SIGKILL");
    await ended;
    rmSync(directory, { recursive: true });
  };
}
