import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { printTable } from "../../src/cli/output/table.ts";
import { type Program, built } from "./build.ts";
import { startKnarr } from "./cluster.ts";
import { patternOf, readReports, runTests } from "./ginkgo.ts";
import { addImages } from "./images/build.ts";
import type { Report } from "./report.ts";
import { type KnownTest, type Suite, suites } from "./suites.ts";
import { suiteTable } from "./table.ts";

/** Runs upstream's own tests against a cluster of its own; see README.md. */
const { values: flags } = parseArgs({
  options: {
    suite: { type: "string", default: "conformance" },
    tier: { type: "string" },
    focus: { type: "string" },
    skip: { type: "string", default: "" },
    binary: { type: "string" },
    nodes: { type: "string" },
    runtime: { type: "string", default: "simulated" },
    parallel: { type: "string", default: "1" },
    output: { type: "string" },
    from: { type: "string" },
    timeout: { type: "string", default: "2h" },
    update: { type: "boolean", default: false },
  },
});

const here = import.meta.dirname;
const root = join(here, "../..");
const suite = knownSuite(flags.suite);
const ratchetName = suite.passing[flags.runtime];
if (ratchetName === undefined)
  throw new Error(
    `Cannot run the suite ${flags.suite} on the runtime ${flags.runtime}: it has no results there`,
  );
const readJson = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"));
const tests = readJson(join(here, suite.tests)) as readonly KnownTest[];
function knownSuite(name: string): Suite {
  const found = suites.get(name);
  if (found !== undefined) return found;
  throw new Error(`Cannot run the suite ${name}: there are ${[...suites.keys()].join(", ")}`);
}

/** Returns the patterns of the processes to run at once, and of the tests that run alone after them. */
function choose(): { patterns: readonly string[]; serial: string } {
  const processes = Number(flags.parallel);
  if (flags.focus !== undefined && flags.tier === undefined && processes === 1)
    return { patterns: [flags.focus], serial: "" };
  const tiers =
    flags.tier?.split(",") ?? (flags.focus === undefined ? suite.usual : Object.keys(suite.tiers));
  const pattern = new RegExp(flags.focus ?? "");
  const names = tests
    .filter(({ name, tier }) => tiers.includes(tier) && pattern.test(name))
    .map(({ name }) => name);
  if (names.length === 0) throw new Error("Cannot choose tests: no test has this tier and this name");
  if (processes === 1) return { patterns: [patternOf(names)], serial: "" };
  const shared = names.filter((name) => !name.includes("[Serial]"));
  const parts = Array.from({ length: processes }, (_, part) =>
    shared.filter((_name, index) => index % processes === part),
  );
  const patterns = parts.filter((part) => part.length > 0).map(patternOf);
  return { patterns, serial: patternOf(names.filter((name) => name.includes("[Serial]"))) };
}

const e2e: Program = {
  name: "e2e",
  needs: ["go"],
  sources: ["go.mod", "go.sum"],
  build: (out) => [["go", "test", "-c", "-o", join(out, "e2e.test"), "k8s.io/kubernetes/test/e2e"]],
};

/** Runs the chosen tests on a cluster that is removed afterwards. */
async function runOnCluster(): Promise<Report> {
  const directory = mkdtempSync(join(tmpdir(), "knarr-conformance-"));
  const binary = flags.binary ?? join(built(e2e), "e2e.test");
  const { patterns, serial } = choose();
  const simulated = flags.runtime === "simulated";
  if (!simulated) addImages(join(directory, "cluster"));
  const cluster = await startKnarr(join(directory, "cluster"), [
    "--runtime",
    flags.runtime,
    "--nodes",
    flags.nodes ?? (simulated ? "2" : "1"),
    // Says what the images of the tests do.
    ...(simulated ? ["--simulation", join(here, "simulation.yaml")] : []),
  ]);
  try {
    const { skip, timeout } = flags;
    const output = flags.output === undefined ? {} : { output: resolve(flags.output) };
    const options = { binary, kubeconfig: cluster.kubeconfig, directory, skip, timeout, ...output };
    return await runTests(options, patterns, serial);
  } finally {
    await cluster.stop();
    rmSync(directory, { recursive: true });
  }
}

const report = flags.from === undefined ? await runOnCluster() : readReports(flags.from);
// Read only now, because another run may have added to the file meanwhile.
const passed = Object.entries(suite.passing).map(([runtime, name]) => ({
  runtime,
  names: new Set(existsSync(join(here, name)) ? (readJson(join(here, name)) as readonly string[]) : []),
}));
const passing = passed.find(({ runtime }) => runtime === flags.runtime)?.names ?? new Set();
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
  writeFileSync(join(here, ratchetName), `${JSON.stringify([...passing].sort(), null, 2)}\n`);
  writeFileSync(join(root, suite.page), suiteTable(suite, tests, passed));
}
if (outcomes.length === 0) process.stdout.write("No test ran: is the pattern right?\n");
for (const { name } of unknown) process.stdout.write(`No such test: ${name}\n`);
for (const { name } of lost) process.stdout.write(`Lost: ${name}\n`);
process.exitCode = outcomes.length === 0 || lost.length > 0 || unknown.length > 0 ? 1 : 0;
