import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { printTable } from "../../src/cli/output/table.ts";
import { type Program, built } from "./build.ts";
import { startKnarr } from "./cluster.ts";
import { type Report, readReport } from "./report.ts";
import { type KnownTest, suites } from "./suites.ts";
import { suiteTable } from "./table.ts";

/** Runs upstream's own tests against a cluster of its own; see README.md. */
const { values: flags } = parseArgs({
  options: {
    suite: { type: "string", default: "conformance" },
    tier: { type: "string" },
    focus: { type: "string" },
    skip: { type: "string", default: "" },
    binary: { type: "string" },
    nodes: { type: "string", default: "2" },
    runtime: { type: "string", default: "simulated" },
    timeout: { type: "string", default: "2h" },
    update: { type: "boolean", default: false },
  },
});

const here = import.meta.dirname;
const root = join(here, "../..");
const suite = suites.get(flags.suite);
if (suite === undefined)
  throw new Error(`Cannot run the suite ${flags.suite}: there are ${[...suites.keys()].join(", ")}`);
const ratchetFile = join(here, suite.passing);
const readJson = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"));
const tests = readJson(join(here, suite.tests)) as readonly KnownTest[];
const e2e: Program = {
  name: "e2e",
  needs: ["go"],
  sources: ["go.mod", "go.sum"],
  build: (out) => [["go", "test", "-c", "-o", join(out, "e2e.test"), "k8s.io/kubernetes/test/e2e"]],
};
/** Returns the pattern of the names to run. */
function focus(usual: readonly string[]): string {
  if (flags.focus !== undefined) return flags.focus;
  const tiers = flags.tier?.split(",") ?? usual;
  const names = tests.filter(({ tier }) => tiers.includes(tier)).map(({ name }) => name);
  if (names.length === 0) throw new Error(`Cannot choose tests: no tier is named ${tiers.join(" or ")}`);
  return names.map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join("|");
}

async function runTests(
  binary: string,
  pattern: string,
  kubeconfig: string,
  directory: string,
): Promise<Report> {
  const file = join(directory, "report.json");
  const line = [
    `--kubeconfig=${kubeconfig}`,
    "--provider=skeleton",
    "--dump-logs-on-failure=false",
    `--ginkgo.focus=${pattern}`,
    ...(flags.skip === "" ? [] : [`--ginkgo.skip=${flags.skip}`]),
    `--ginkgo.timeout=${flags.timeout}`,
    `--ginkgo.json-report=${file}`,
    "--ginkgo.no-color",
    "--ginkgo.succinct",
  ];
  const child = spawn(binary, line, { stdio: ["ignore", "ignore", "ignore"], cwd: directory });
  await once(child, "exit");
  return readReport(readJson(file));
}

const directory = mkdtempSync(join(tmpdir(), "knarr-conformance-"));
const binary = flags.binary ?? join(built(e2e), "e2e.test");
const cluster = await startKnarr(join(directory, "cluster"), [
  "--runtime",
  flags.runtime,
  "--nodes",
  flags.nodes,
  // Says what the images of the tests do.
  ...(flags.runtime === "simulated" ? ["--simulation", join(here, "simulation.yaml")] : []),
]);
let report: Report;
try {
  report = await runTests(binary, focus(suite.usual), cluster.kubeconfig, directory);
} finally {
  await cluster.stop();
}
rmSync(directory, { recursive: true });

// Read only now, because another run may have added to the file meanwhile.
const passing = new Set(existsSync(ratchetFile) ? (readJson(ratchetFile) as readonly string[]) : []);
const { outcomes, names } = report;
const unknown = tests.filter(({ name }) => !names.has(name));
const failed = outcomes.filter(({ state }) => state !== "passed");
const lost = failed.filter(({ name }) => passing.has(name));
for (const { name, state, message } of failed) process.stdout.write(`${state}: ${name}\n    ${message}\n`);
const counted = Object.entries(Object.groupBy(outcomes, ({ state }) => state));
process.stdout.write(
  printTable(
    ["STATE", "TESTS"],
    counted.map(([state, some = []]) => [state, String(some.length)]),
  ),
);
if (flags.update) {
  const known = new Set(tests.map(({ name }) => name));
  for (const { name, state } of outcomes) if (state === "passed" && known.has(name)) passing.add(name);
  writeFileSync(ratchetFile, `${JSON.stringify([...passing].sort(), null, 2)}\n`);
  writeFileSync(join(root, suite.page), suiteTable(suite, tests, passing));
}
if (outcomes.length === 0) process.stdout.write("No test ran: is the pattern right?\n");
for (const { name } of unknown) process.stdout.write(`No such test: ${name}\n`);
for (const { name } of lost) process.stdout.write(`Lost: ${name}\n`);
process.exitCode = outcomes.length === 0 || lost.length > 0 || unknown.length > 0 ? 1 : 0;
