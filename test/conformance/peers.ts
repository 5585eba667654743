import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { built, missingCommand } from "./build.ts";
import { startKnarr } from "./cluster.ts";
import { type Call, type Peer, peers } from "./peer-list.ts";

/** Runs other projects' clients (peer-list.ts) on a cluster with simulated nodes. Arguments choose among them. */
const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !peers.some((peer) => peer.name === name));
if (unknown.length > 0) throw new Error(`Cannot choose peers: none is named ${unknown.join(", ")}`);

const skipped: string[] = [];
const failures: string[] = [];
const ready: { readonly peer: Peer; readonly out: string }[] = [];
for (const peer of peers.filter(({ name }) => chosen.length === 0 || chosen.includes(name))) {
  const missing = missingCommand(peer);
  if (missing !== undefined) {
    skipped.push(`${peer.name}: there is no ${missing} on the PATH`);
    continue;
  }
  try {
    ready.push({ peer, out: built(peer) });
  } catch (error) {
    failures.push(String(error));
  }
}

const directory = mkdtempSync(join(tmpdir(), "knarr-peers-"));
const cluster = await startKnarr(join(directory, "cluster"), ["--runtime", "simulated"]);
const home = { HELM_CACHE_HOME: directory, HELM_CONFIG_HOME: directory, HELM_DATA_HOME: directory };

function run({ name }: Peer, call: Call): void {
  const [command = "", ...words] = call.line;
  const start = performance.now();
  const { stdout, stderr, status } = spawnSync(command, words, {
    encoding: "utf8",
    timeout: 120_000,
    env: { ...process.env, ...home, KUBECONFIG: cluster.kubeconfig, ...call.env },
  });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const good = status === 0 && stdout.includes(call.wanted);
  process.stdout.write(`${good ? "ok  " : "FAIL"} ${name} ${call.name} (${seconds} s)\n`);
  if (!good) failures.push(`${name} ${call.name}: ${status}\n${stdout}${stderr}`);
}

try {
  for (const { peer, out } of ready) for (const call of peer.calls(out)) run(peer, call);
} finally {
  await cluster.stop();
  rmSync(directory, { recursive: true, force: true });
}
process.stdout.write(failures.map((one) => `${one}\n`).join(""));
for (const why of skipped) process.stdout.write(`Skipped ${why}\n`);
process.exitCode = failures.length === 0 ? 0 : 1;
