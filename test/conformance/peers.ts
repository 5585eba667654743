import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { goProgram, startKnarr } from "./cluster.ts";

/** Other people's clients at work: client-go's informers and Helm 4, against a cluster with simulated nodes. */
const informers = goProgram("informers", (file) => ["build", "-o", file, "./informers"]);
const helm = goProgram("helm", () => ["install", "helm.sh/helm/v4/cmd/helm@v4.3.0"]);
const chart = join(import.meta.dirname, "peers/chart");

const directory = mkdtempSync(join(tmpdir(), "knarr-peers-"));
const cluster = await startKnarr(join(directory, "cluster"), ["--runtime", "simulated"]);
const failures: string[] = [];

function run(
  program: string,
  line: readonly string[],
  wanted: string,
  env: Record<string, string> = {},
): void {
  const home = { HELM_CACHE_HOME: directory, HELM_CONFIG_HOME: directory, HELM_DATA_HOME: directory };
  const { stdout, stderr, status } = spawnSync(program, line, {
    encoding: "utf8",
    timeout: 120_000,
    env: { ...process.env, ...home, KUBECONFIG: cluster.kubeconfig, ...env },
  });
  const what = [
    program.split("/").at(-1),
    ...line.filter((word) => !word.includes("/")),
    ...Object.values(env),
  ];
  const good = status === 0 && stdout.includes(wanted);
  process.stdout.write(`${good ? "ok  " : "FAIL"} ${what.join(" ")}\n`);
  if (!good) failures.push(`${what.join(" ")}: ${status}\n${stdout}${stderr}`);
}

try {
  for (const watchList of ["true", "false"]) {
    const env = { KUBE_FEATURE_WatchListClient: watchList };
    run(informers, [cluster.kubeconfig], "ok: application/vnd.kubernetes.protobuf", env);
  }
  const patience = ["--wait", "--timeout", "60s"];
  run(helm, ["install", "web", chart, ...patience], "STATUS: deployed");
  run(helm, ["upgrade", "web", chart, "--set", "greeting=hi", ...patience], "REVISION: 2");
  run(helm, ["rollback", "web", "1", ...patience], "Rollback was a success");
  run(helm, ["history", "web"], "Rollback to 1");
  run(helm, ["uninstall", "web", ...patience], "uninstalled");
} finally {
  await cluster.stop();
  rmSync(directory, { recursive: true, force: true });
}
process.stdout.write(failures.join("\n"));
process.exitCode = failures.length === 0 ? 0 : 1;
