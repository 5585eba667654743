import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Report, readReport } from "./report.ts";

export interface GinkgoOptions {
  /** The compiled tests. */
  readonly binary: string;
  readonly kubeconfig: string;
  /** An existing folder for the tests' working files. */
  readonly directory: string;
  /** A pattern of names to leave out; empty for none. */
  readonly skip: string;
  /** The time limit of a process: `2h`. */
  readonly timeout: string;
  /** An existing folder for the reports and the tests' own output: a file for each process. Default: `directory`, and no output. */
  readonly output?: string;
}

/**
 * Runs tests in several processes at once, one for each pattern, and then those of `serial`, which disturb others.
 * Returns their reports as one.
 */
export async function runTests(
  options: GinkgoOptions,
  patterns: readonly string[],
  serial: string,
): Promise<Report> {
  const reports = await Promise.all(patterns.map((pattern, index) => runProcess(options, pattern, index)));
  if (serial !== "") reports.push(await runProcess(options, serial, patterns.length));
  return merge(reports);
}

/** Returns the reports that an earlier run left in its folder of output, as one. */
export function readReports(output: string): Report {
  const files = readdirSync(output).filter((name) => /^report-\d+\.json$/.test(name));
  return merge(files.map((name) => readReport(JSON.parse(readFileSync(join(output, name), "utf8")))));
}

function merge(reports: readonly Report[]): Report {
  return {
    outcomes: reports.flatMap(({ outcomes }) => outcomes),
    names: new Set(reports.flatMap(({ names }) => [...names])),
  };
}

async function runProcess(options: GinkgoOptions, pattern: string, index: number): Promise<Report> {
  const { binary, kubeconfig, directory, skip, timeout, output } = options;
  const file = join(output ?? directory, `report-${index}.json`);
  const line = [
    `--kubeconfig=${kubeconfig}`,
    "--provider=skeleton",
    "--dump-logs-on-failure=false",
    `--ginkgo.focus=${pattern}`,
    ...(skip === "" ? [] : [`--ginkgo.skip=${skip}`]),
    `--ginkgo.timeout=${timeout}`,
    `--ginkgo.json-report=${file}`,
    "--ginkgo.no-color",
    output === undefined ? "--ginkgo.succinct" : "--ginkgo.v",
  ];
  const log = openSync(output === undefined ? "/dev/null" : join(output, `process-${index}.log`), "w");
  const child = spawn(binary, line, { stdio: ["ignore", log, log], cwd: directory });
  closeSync(log);
  await once(child, "exit");
  return readReport(JSON.parse(readFileSync(file, "utf8")));
}

/** Returns the pattern that matches exactly these names. */
export function patternOf(names: readonly string[]): string {
  return names.map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join("|");
}
