import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "../src/client/client.ts";
import { HttpTransport } from "../src/client/http.ts";
import { adminKubeconfig, writeKubeconfig } from "../src/cluster/kubeconfig.ts";
import { ensurePki } from "../src/cluster/pki.ts";
import { systemClock } from "../src/util/clock.ts";
import { silentLogger } from "../src/util/logger.ts";
import { systemRandom } from "../src/util/random.ts";
import type { Subject } from "./subject.ts";

/**
 * Starts upstream's API server on etcd, on loopback, with TLS, client certificates and RBAC as in a cluster of ours.
 */
export async function startPeer(programs: {
  readonly etcd: string;
  readonly kubeApiserver: string;
  /** With client limits so high that they do not matter. */
  readonly kubeScheduler?: string | undefined;
  /** The same. */
  readonly kubeControllerManager?: string | undefined;
}): Promise<Subject> {
  const directory = mkdtempSync(join(tmpdir(), "knarr-bench-peer-"));
  const [port = 0, client = 0, peer = 0] = await freePorts(3);
  const server = `https://127.0.0.1:${port}`;
  const env = { clock: systemClock, random: systemRandom, log: silentLogger };
  const pki = await ensurePki({ env, directory: undefined, serverNames: ["127.0.0.1", "localhost"] });
  const write = (name: string, text: string) => {
    const file = join(directory, name);
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  };
  const kubeconfig = join(directory, "kubeconfig");
  writeKubeconfig(kubeconfig, adminKubeconfig(server, pki.ca.certificate, pki.admin));
  mkdirSync(join(directory, "etcd"), { mode: 0o700 });
  const etcdUrl = `http://127.0.0.1:${client}`;
  const peerUrl = `http://127.0.0.1:${peer}`;
  const etcd = spawn(
    programs.etcd,
    [
      `--data-dir=${join(directory, "etcd")}`,
      `--listen-client-urls=${etcdUrl}`,
      `--advertise-client-urls=${etcdUrl}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=default=${peerUrl}`,
      "--log-level=error",
    ],
    { stdio: "ignore" },
  );
  const apiserver = spawn(
    programs.kubeApiserver,
    [
      `--etcd-servers=${etcdUrl}`,
      "--bind-address=127.0.0.1",
      `--secure-port=${port}`,
      `--tls-cert-file=${write("server.crt", pki.server.certificate)}`,
      `--tls-private-key-file=${write("server.key", pki.server.key)}`,
      `--client-ca-file=${write("ca.crt", pki.ca.certificate)}`,
      "--authorization-mode=Node,RBAC",
      "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
      `--service-account-signing-key-file=${write("sa.key", pki.serviceAccount.privateKey)}`,
      `--service-account-key-file=${write("sa.pub", pki.serviceAccount.publicKey)}`,
      "--service-cluster-ip-range=10.96.0.0/16",
    ],
    { stdio: "ignore" },
  );
  const connection = {
    server,
    ca: pki.ca.certificate,
    certificate: { certificate: pki.admin.certificate, key: pki.admin.key },
  };
  const start = performance.now();
  await untilReady(connection);
  const begin = (program: string | undefined, ...line: readonly string[]) =>
    program === undefined ? [] : [spawn(program, [...line, "--secure-port=0"], { stdio: "ignore" })];
  const components = [
    ...begin(
      programs.kubeScheduler,
      `--config=${write("scheduler.yaml", schedulerConfiguration(kubeconfig))}`,
    ),
    ...begin(
      programs.kubeControllerManager,
      `--kubeconfig=${kubeconfig}`,
      "--leader-elect=false",
      "--kube-api-qps=5000",
      "--kube-api-burst=5000",
      `--root-ca-file=${join(directory, "ca.crt")}`,
      `--service-account-private-key-file=${join(directory, "sa.key")}`,
    ),
  ];
  const processes = [...components, apiserver, etcd];
  return {
    kubeconfig,
    pids: processes.map(({ pid }) => pid ?? 0),
    figures: [{ name: "ready, from the processes' start", value: performance.now() - start, unit: "ms" }],
    stop: async () => {
      const ended = Promise.all(processes.map((one) => once(one, "exit")));
      for (const one of processes) one.kill(one === etcd ? "SIGTERM" : "SIGKILL");
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function schedulerConfiguration(kubeconfig: string): string {
  return `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: { leaderElect: false }
clientConnection: { kubeconfig: ${kubeconfig}, qps: 5000, burst: 5000 }
`;
}

/** Returns free ports. All are held open until the last is drawn, so that no two are equal. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, "127.0.0.1");
      await once(server, "listening");
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}

const attempts = 600;

async function untilReady(connection: ConstructorParameters<typeof HttpTransport>[0]): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const { transport } = new Client(new HttpTransport(connection, { clock: systemClock }));
    try {
      const { status } = await transport.request({ method: "GET", path: "/readyz" });
      if (status === 200) return;
    } catch (error) {
      if (attempt >= attempts) throw error;
    } finally {
      await transport.close();
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
