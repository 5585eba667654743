import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Pod, pods } from "../src/api/index.ts";
import { kernelName } from "../src/cluster/data-directory.ts";
import { unknownExitCode } from "../src/kubelet/native/exit-watch.ts";
import { randomInt, seededRandom, systemRandom } from "../src/util/random.ts";
import { type OwnCluster, pause, remainsOf, startOwnCluster } from "./own-cluster.ts";

/**
 * Kills Knarr at random moments, while Pods start and end in real containers. After each start, long-running Pods
 * have the containers of before, and short ones come to their end. Without Pods, nothing is left of them on the machine. Needs
 * root. Ends with 1 after a fault.
 */
const { values: flags } = parseArgs({
  options: {
    kills: { type: "string", default: "100" },
    seed: { type: "string", default: String(randomInt(systemRandom, 1_000_000)) },
    minutes: { type: "string", default: "30" },
  },
});

const knarr = join(import.meta.dirname, "../bin/knarr.js");
const directory = mkdtempSync(join(tmpdir(), "knarr-kills-"));
const random = seededRandom(Number(flags.seed));
const image = "knarr.local/host";
const patienceMs = 60_000;
/** The longest time between the readiness of Knarr and its death. */
const longestLifeMs = 1500;
const faults: string[] = [];
/** The containers of which nobody knows how they ended. */
let lost = 0;

function pod(name: string, seconds: number): object {
  const command = ["sh", "-c", `echo begun; sleep ${seconds}; echo done`];
  return {
    metadata: { name, labels: { kind: name.split("-")[0] ?? "" } },
    spec: {
      restartPolicy: "Never",
      terminationGracePeriodSeconds: 0,
      containers: [{ name: "main", image, imagePullPolicy: "IfNotPresent", command }],
    },
  };
}

async function until(what: string, done: () => Promise<boolean>): Promise<boolean> {
  for (const end = performance.now() + patienceMs; performance.now() < end; await pause(100))
    if (await done().catch(() => false)) return true;
  faults.push(`${what}: not within ${patienceMs / 1000} s`);
  return false;
}

/** Returns the container IDs of the Pods that run for the whole time. */
async function longContainers({ client }: OwnCluster): Promise<Map<string, string>> {
  const { items } = await client.of(pods, "default").list({ labelSelector: "kind=long" });
  return new Map(
    items.map(({ metadata, status }) => [
      metadata.name ?? "",
      `${status.containerStatuses?.[0]?.containerID} ${status.containerStatuses?.[0]?.restartCount} ${status.phase}`,
    ]),
  );
}

/** Creates and deletes Pods until the process dies in between; every call may fail. */
async function churn({ client }: OwnCluster, round: number, isOver: () => boolean): Promise<void> {
  const all = client.of(pods, "default");
  for (let index = 0; !isOver() && index < 12; index++) {
    const name = `short-${round}-${index}`;
    try {
      await all.create(pod(name, randomInt(random, 3)));
      if (randomInt(random, 3) === 0) await all.delete(name);
    } catch {
      return; // Knarr has died.
    }
  }
}

async function oneRound(cluster: OwnCluster, round: number): Promise<OwnCluster> {
  const before = await longContainers(cluster);
  let isDead = false;
  const churning = churn(cluster, round, () => isDead);
  await pause(randomInt(random, longestLifeMs));
  isDead = true;
  const ended = once(cluster.child, "exit");
  cluster.child.kill("SIGKILL");
  await ended;
  await churning;
  await cluster.client.transport.close();
  // A third of the starts die, too, before they are ready.
  if (randomInt(random, 3) === 0) await dieDuringStart();
  const next = await startOwnCluster(directory);
  const isOver = await until(`round ${round}: the short Pods end`, async () => {
    const { items } = await next.client.of(pods, "default").list({ labelSelector: "kind=short" });
    return items.every(hasEnded);
  });
  const { items } = await next.client.of(pods, "default").list({ labelSelector: "kind=short" });
  if (!isOver)
    for (const { metadata, status } of items.filter((one) => !hasEnded(one)))
      faults.push(`round ${round}: ${JSON.stringify({ metadata, status })}`);
  for (const { metadata, status } of items.filter(({ status }) => status.phase === "Failed")) {
    const { terminated } = status.containerStatuses?.[0]?.state ?? {};
    // Knarr died between the record of the start and the start: the runtime cannot tell whether the command ran.
    if (terminated?.exitCode === unknownExitCode) lost++;
    else faults.push(`round ${round}: ${metadata.name} failed: ${JSON.stringify(status)}`);
  }
  for (const { metadata } of items)
    await next.client
      .of(pods, "default")
      .delete(metadata.name ?? "")
      .catch(() => {});
  const after = await longContainers(next);
  for (const [name, container] of before)
    if (after.get(name) !== container)
      faults.push(`round ${round}: ${name} had ${container}, and has ${after.get(name)}`);
  return next;
}

function hasEnded({ status }: Pod): boolean {
  return status.phase === "Succeeded" || status.phase === "Failed";
}

async function dieDuringStart(): Promise<void> {
  const line = ["up", "--runtime", "native", "--data-dir", directory, "--port", "0", "--output", "json"];
  const child = spawn(process.execPath, [knarr, ...line], { stdio: "ignore" });
  await pause(randomInt(random, 700));
  const ended = child.exitCode === null ? once(child, "exit") : undefined;
  child.kill("SIGKILL");
  await ended;
}

/** Compares what the Pods have on the machine with the Pods that there are. */
async function checkRemains(when: string, count: number): Promise<void> {
  const state = join(directory, "run");
  const group = kernelName(directory);
  const look = () => ({
    sandboxes: readdirSync(join(state, "sandboxes")).length,
    containers: readdirSync(join(state, "containers")).length,
    addresses: readdirSync(join(state, "addresses")).length,
    pins: new Set(globSync(join(state, "pins", "*-net"))).size,
    links:
      execFileSync("ip", ["-o", "link", "show", "master", group], { encoding: "utf8" }).split("\n").length -
      1,
  });
  const isClean = await until(`${when}: nothing but ${count} Pods on the machine`, () =>
    Promise.resolve(Object.values(look()).every((found) => found === count)),
  );
  if (!isClean) faults.push(`${when}: ${JSON.stringify(look())}`);
}

async function main(): Promise<void> {
  process.stdout.write(`seed ${flags.seed}: again with --seed ${flags.seed} --kills ${flags.kills}\n`);
  const end = performance.now() + Number(flags.minutes) * 60_000;
  const longPods = 3;
  let cluster = await startOwnCluster(directory);
  let round = 0;
  try {
    for (let index = 0; index < longPods; index++)
      await cluster.client.of(pods, "default").create(pod(`long-${index}`, 100_000));
    await until("the long Pods run", async () => {
      const { items } = await cluster.client.of(pods, "default").list({ labelSelector: "kind=long" });
      return items.every(({ status }) => status.phase === "Running");
    });
    while (round < Number(flags.kills) && performance.now() < end && faults.length === 0) {
      cluster = await oneRound(cluster, ++round);
      if (round % 10 !== 0) continue;
      await checkRemains(`round ${round}`, longPods);
      process.stdout.write(`${round} kills, ${lost} containers lost, ${faults.length} faults\n`);
    }
    await checkRemains("at the end", longPods);
  } finally {
    await cluster.client.transport.close();
    const ended = cluster.child.exitCode === null ? once(cluster.child, "exit") : undefined;
    execFileSync(process.execPath, [knarr, "down", "--cleanup", "--data-dir", directory]);
    await ended;
  }
  if (existsSync(directory)) rmSync(directory, { recursive: true });
  faults.push(...remainsOf(directory).map((line) => `left on the machine: ${line}`));
  for (const fault of faults) process.stdout.write(`FAULT: ${fault}\n`);
  process.stdout.write(`${round} kills, ${lost} containers lost, ${faults.length} faults\n`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}

await main();
