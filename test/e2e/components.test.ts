import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { get } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  clusterRoleBindings,
  configMaps,
  deployments,
  leases,
  secrets,
  serviceAccounts,
} from "../../src/api/index.ts";
import { tokenRequests } from "../../src/api/authentication/v1.ts";
import { decode } from "../../src/meta/decode.ts";
import { startCluster, type TestCluster } from "../../src/testing/index.ts";
import { systemClock } from "../../src/util/clock.ts";
import { knarr, type Outcome } from "./knarr.ts";

let cluster: TestCluster;
let directory: string;
let kubeconfig: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "knarr-components-"));
  cluster = await startCluster({ clock: systemClock, port: 0, controllers: [], schedules: false });
  kubeconfig = join(directory, "kubeconfig");
  writeFileSync(kubeconfig, cluster.kubeconfig(), { mode: 0o600 });
});
afterAll(async () => {
  await cluster.stop();
  rmSync(directory, { recursive: true });
});

/** Runs a program of its own until `stop`, which resolves to its end. */
function start(...line: readonly string[]): { readonly stop: () => Promise<Outcome> } {
  let end: (signal: NodeJS.Signals) => void = () => {};
  const port = line.includes("--secure-port") ? [] : ["--secure-port", "0"];
  const ended = knarr([...line, ...port, "--kubeconfig", kubeconfig], {
    cwd: directory,
    onStart: (kill) => (end = kill),
  });
  return {
    stop: () => {
      end("SIGTERM");
      return ended;
    },
  };
}

test("controller manager and scheduler work as programs of their own, and release their Leases at the end", async () => {
  const rootCertificate = join(directory, "ca.crt");
  writeFileSync(rootCertificate, "PEM");
  const tokenKey = join(directory, "sa.key");
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  writeFileSync(tokenKey, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
  const manager = start(
    "controller-manager",
    "--use-service-account-credentials",
    "--root-ca-file",
    rootCertificate,
    "--service-account-private-key-file",
    tokenKey,
  );
  const scheduler = start("scheduler");
  const labels = { app: "web" };
  const spec = {
    replicas: 3,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "example/web" }] } },
  };
  const rollouts = cluster.client.of(deployments, "default");
  await rollouts.create({ metadata: { name: "web" }, spec });
  await cluster.waitFor(async () => (await rollouts.get("web")).status.readyReplicas === 3, 30_000);
  // Each controller acts as a ServiceAccount of its own, which the program has made.
  await cluster.client.of(serviceAccounts, "kube-system").get("deployment-controller");
  // Only the controller manager itself may fill Secrets with tokens.
  const own = cluster.client.of(secrets, "default");
  const annotations = { "kubernetes.io/service-account.name": "default" };
  await own.create({ metadata: { name: "token", annotations }, type: "kubernetes.io/service-account-token" });
  await cluster.waitFor(async () => (await own.get("token")).data?.["token"] !== undefined, 10_000);
  const published = await cluster.client.of(configMaps, "default").get("kube-root-ca.crt");
  expect(published.data).toEqual({ "ca.crt": "PEM" });
  const [ended, alsoEnded] = await Promise.all([manager.stop(), scheduler.stop()]);
  expect([ended.code, alsoEnded.code]).toEqual([0, 0]);
  const holders = await cluster.client.of(leases, "kube-system").list();
  expect(holders.items.map(({ metadata, spec }) => [metadata.name, spec.holderIdentity])).toEqual([
    ["kube-controller-manager", ""],
    ["kube-scheduler", ""],
  ]);
});

test("a program serves its health to everybody, and its metrics to those who may see them", async () => {
  const port = await freePort();
  const token = await tokenOf("metrics-reader");
  const scheduler = start("scheduler", "--secure-port", String(port), "--bind-address", "127.0.0.1");
  const ask = (path: string, bearer?: string) => askHttps(port, path, bearer).catch(() => undefined);
  await cluster.waitFor(async () => (await ask("/healthz"))?.text === "ok", 10_000);
  expect((await ask("/metrics"))?.status).toBe(403);
  const leads = 'leader_election_master_status{name="kube-scheduler"} 1';
  await cluster.waitFor(async () => (await ask("/metrics", token))?.text.includes(leads) === true, 10_000);
  const { text = "" } = (await ask("/metrics", token)) ?? {};
  expect(text).toMatch(/^rest_client_requests_total\{code="200",method="GET",host="127.0.0.1:\d+"\} \d+$/m);
  expect(text).toContain('scheduler_pending_pods{queue="active"} 0');
  expect(text).toMatch(/^process_resident_memory_bytes \d{7,}$/m);
  expect((await scheduler.stop()).code).toBe(0);
});

/** A port that nothing listens on. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  // Safe: the server listens on an address.
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** The token of a new ServiceAccount that may read metrics. */
async function tokenOf(name: string): Promise<string> {
  const { client } = cluster;
  await client.of(serviceAccounts, "default").create({ metadata: { name } });
  await client.of(clusterRoleBindings).create({
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "system:monitoring" },
    subjects: [{ kind: "ServiceAccount", name, namespace: "default" }],
  });
  const { apiVersion, kind } = tokenRequests;
  const made = await client
    .of(serviceAccounts, "default")
    .subresource(name, "token")
    .create({ apiVersion, kind, metadata: {}, spec: { audiences: [] } });
  return decode(tokenRequests.schema, made).status.token;
}

function askHttps(port: number, path: string, bearer?: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
    // The program has made its certificate itself.
    const options = {
      host: "127.0.0.1",
      port,
      path,
      headers,
      rejectUnauthorized: false,
      agent: false as const,
    };
    get(options, (response) => {
      let text = "";
      response.on("data", (chunk) => (text += String(chunk)));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    }).on("error", reject);
  });
}

test("an unknown controller is refused, with the names of all in the help", async () => {
  const refused = await knarr(["controller-manager", "--controllers", "*,-none"], { cwd: directory });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('error: "none" is not in the list of known controllers\n');
  const help = await knarr(["controller-manager", "--help"], { cwd: directory });
  expect(help.stdout).toContain("  deployment-controller\n");
});
