import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  deployments,
  horizontalPodAutoscalers,
  persistentVolumeClaims,
  pods,
  services,
} from "../src/api/index.ts";
import { printTable } from "../src/cli/output/table.ts";
import type { Client } from "../src/client/client.ts";
import { type OwnCluster, pause, remainsOf, startOwnCluster } from "./own-cluster.ts";
import { Load, type Tally } from "./app/load.ts";
import { autoscaler, claim, database, deployment, service, template } from "./app/manifests.ts";

/**
 * Runs a web application of three tiers as real containers, and does to it what happens to one: load, an autoscaler, a
 * rolling update, the death of the cluster's process, the loss of the database's Pod. Needs root. Ends with 1 when data is lost,
 * a container restarts, a rolling update fails a request, or the machine is not as before.
 */

const run = promisify(execFile);
const knarr = join(import.meta.dirname, "../bin/knarr.js");
const directory = mkdtempSync(join(tmpdir(), "knarr-app-"));
const workers = 6;
/** The time without Knarr, and the greatest time for each step. */
const downMs = 10_000;
const patienceMs = 180_000;
const rows: string[][] = [];
const faults: string[] = [];

async function until(what: string, done: () => Promise<boolean>): Promise<number> {
  const begun = performance.now();
  for (;;) {
    if (await done().catch(() => false)) return performance.now() - begun;
    if (performance.now() - begun > patienceMs) throw new Error(`${what}: not within ${patienceMs / 1000} s`);
    await pause(200);
  }
}

async function build(tier: string, version: string): Promise<void> {
  const folder = join(import.meta.dirname, "app", tier);
  const line = [
    "image",
    "build",
    folder,
    "-t",
    `knarr.local/app-${tier}:${version}`,
    "--data-dir",
    directory,
  ];
  const args = tier === "db" ? [] : ["--build-arg", `VERSION=${version}`];
  await run(process.execPath, [knarr, ...line, ...args]);
}

async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
  const begun = performance.now();
  await work();
  report(what, performance.now() - begun);
}

function report(what: string, ms: number, tally?: Tally): void {
  const failed =
    tally === undefined ? 0 : [...tally.failures.values()].reduce((sum, count) => sum + count, 0);
  const sorted = tally?.latencies.toSorted((a, b) => a - b) ?? [];
  const at = (part: number) => `${(sorted[Math.floor(sorted.length * part)] ?? 0).toFixed(0)} ms`;
  const figures =
    tally === undefined
      ? ["", "", "", "", ""]
      : [String(tally.requests), String(failed), at(0.5), at(0.99), `${tally.longestGap.toFixed(0)} ms`];
  rows.push([what, `${(ms / 1000).toFixed(1)} s`, ...figures]);
  process.stderr.write(`${what}: ${(ms / 1000).toFixed(1)} s ${figures.join(" ")}\n`);
  for (const [why, count] of tally?.failures ?? []) process.stderr.write(`  ${count} × ${why}\n`);
}

function rolledOut(client: Client, name: string): Promise<number> {
  const all = client.of(deployments, "default");
  return until(`${name} rolls out`, async () => {
    const { metadata, spec, status } = await all.get(name);
    const { observedGeneration, replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = status;
    const wanted = spec.replicas ?? 1;
    const settled = [replicas, updatedReplicas, availableReplicas].every((count) => count === wanted);
    return observedGeneration === metadata.generation && settled;
  });
}

/** Returns the running containers with their restarts. */
async function containers(client: Client): Promise<Map<string, number>> {
  const { items } = await client.of(pods, "default").list();
  const all = items.flatMap(({ status }) => status.containerStatuses ?? []);
  return new Map(all.map(({ containerID = "", restartCount }) => [containerID, restartCount]));
}

async function addressOf(client: Client, name: string, port: number): Promise<string> {
  const { spec } = await client.of(services, "default").get(name);
  return `http://${spec.clusterIP}:${port}`;
}

/** Reports the orders that were acknowledged and are not in the database. */
async function checkData(client: Client, load: Load, when: string): Promise<void> {
  const keys = load.acknowledged.slice();
  const answer = await fetch(`${await addressOf(client, "db", 5432)}/keys`);
  const stored = new Set((await answer.text()).split("\n"));
  const lost = keys.filter((key) => !stored.has(key));
  process.stderr.write(`${when}: ${keys.length} orders acknowledged, ${lost.length} of them lost\n`);
  if (lost.length > 0) faults.push(`${lost.length} orders lost ${when}`);
}

async function deploy(client: Client): Promise<void> {
  for (const [name, port] of [
    ["db", 5432],
    ["api", 8080],
    ["web", 8080],
  ] as const)
    await client.of(services, "default").create(service(name, port));
  await client.of(persistentVolumeClaims, "default").create(claim);
  const all = client.of(deployments, "default");
  await all.create(database);
  await all.create(deployment("api", 1, template("api", "knarr.local/app-api:1", 8080)));
  await all.create(deployment("web", 2, template("web", "knarr.local/app-web:1", 8080)));
  await Promise.all(["db", "api", "web"].map((name) => rolledOut(client, name)));
}

async function update(client: Client, load: Load, name: string): Promise<void> {
  load.take();
  const all = client.of(deployments, "default");
  const begun = performance.now();
  await all.patch(
    name,
    { spec: { template: template(name, `knarr.local/app-${name}:2`, 8080) } },
    { type: "merge" },
  );
  await rolledOut(client, name);
  // The last of the old Pods ends after its preStop hook.
  await pause(5000);
  const tally = load.take();
  report(`rolling update of ${name}`, performance.now() - begun - 5000, tally);
  if (tally.failures.size > 0) faults.push(`requests failed during the update of ${name}`);
}

async function killAndAdopt(cluster: OwnCluster, load: Load): Promise<OwnCluster> {
  await until("the autoscaler rests", async () => {
    const { spec, status } = await cluster.client.of(deployments, "default").get("api");
    return spec.replicas === status.availableReplicas;
  });
  const before = await containers(cluster.client);
  load.take();
  const ended = once(cluster.child, "exit");
  cluster.child.kill("SIGKILL");
  await ended;
  await cluster.client.transport.close();
  await pause(downMs);
  report("without Knarr, after kill -9", downMs, load.take());
  const begun = performance.now();
  const next = await startOwnCluster(directory);
  report("knarr up again, until ready", performance.now() - begun, load.take());
  await pause(15_000);
  const after = await containers(next.client);
  const changed = [...before].filter(([id, restarts]) => after.get(id) !== restarts);
  report("after the adoption", 15_000, load.take());
  process.stderr.write(`${before.size} containers before, ${changed.length} of them restarted or gone\n`);
  if (changed.length > 0) faults.push(`${changed.length} containers were restarted by the restart of Knarr`);
  return next;
}

async function replaceDatabase(client: Client, load: Load): Promise<void> {
  load.take();
  const begun = performance.now();
  const { items } = await client.of(pods, "default").list({ labelSelector: "app=db" });
  const [old] = items;
  if (old !== undefined) await client.of(pods, "default").delete(old.metadata.name ?? "");
  await until("the database is replaced", async () => {
    const { items: now } = await client.of(pods, "default").list({ labelSelector: "app=db" });
    const [pod, ...others] = now;
    const isReady = pod?.status.conditions?.some(({ type, status }) => type === "Ready" && status === "True");
    return others.length === 0 && pod?.metadata.uid !== old?.metadata.uid && isReady === true;
  });
  await pause(2000);
  report("the database's Pod deleted, until Ready", performance.now() - begun - 2000, load.take());
}

async function main(): Promise<void> {
  let cluster: OwnCluster | undefined;
  let load: Load | undefined;
  try {
    const first = await startOwnCluster(directory);
    cluster = first;
    const { client } = first;
    await timed("three images built, with RUN", async () => {
      for (const tier of ["db", "api", "web"]) await build(tier, "1");
    });
    await timed("two of them again, another version", async () => {
      for (const tier of ["api", "web"]) await build(tier, "2");
    });
    await timed("three tiers, until Ready", () => deploy(client));
    load = new Load(await addressOf(client, "web", 8080), workers);
    await client.of(horizontalPodAutoscalers, "default").create(autoscaler);
    const scaled = await until("the autoscaler adds Pods", async () => {
      const { status } = await client.of(deployments, "default").get("api");
      return (status.availableReplicas ?? 0) >= 3;
    });
    const tally = load.take();
    report("load, until the autoscaler's third Pod is available", scaled, tally);
    if (tally.failures.size > 0) faults.push("requests failed during the scaling");
    await update(client, load, "api");
    await update(client, load, "web");
    cluster = await killAndAdopt(first, load);
    await checkData(cluster.client, load, "after kill -9");
    await replaceDatabase(cluster.client, load);
    await load.stop();
    await checkData(cluster.client, load, "after the database's new Pod");
  } finally {
    await load?.stop();
    await cluster?.client.transport.close();
    const ended = cluster === undefined ? undefined : once(cluster.child, "exit");
    const begun = performance.now();
    await run(process.execPath, [knarr, "down", "--cleanup", "--data-dir", directory]);
    await ended;
    report("knarr down --cleanup", performance.now() - begun);
    rmSync(directory, { recursive: true, force: true });
  }
  const left = remainsOf(directory);
  if (left.length > 0) faults.push(`left on the machine: ${left.join("; ")}`);
  process.stdout.write(
    printTable(["STEP", "TIME", "REQUESTS", "FAILED", "MEDIAN", "P99", "LONGEST GAP"], rows),
  );
  for (const fault of faults) process.stdout.write(`FAULT: ${fault}\n`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}

await main();
