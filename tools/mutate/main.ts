import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { LogLevel } from "@stryker-mutator/api/core";
import { Stryker } from "@stryker-mutator/core";
import { folderOf, folders } from "./folders.ts";
import { report } from "./report.ts";

/**
 * Scores the tests of a folder: `main.ts FOLDER [--incremental] [--static]`. Each mutant is the code with one small change;
 * a test that fails kills it. With `--incremental`, mutants whose code and tests are as they were keep their result. With
 * `--static`, what a module computes as it is loaded is changed too: each such mutant takes a process of its own.
 */
const options = process.argv.slice(2);
const name = options.find((one) => !one.startsWith("-"))?.replace(/\/$/, "") ?? "";
const folder = folderOf(name);
if (folder === undefined || folder.mutate.length === 0) {
  const names = Object.keys(folders).map((one) => `  ${one}`);
  console.log(
    "npm run mutate -- FOLDER [--incremental] [--static]\n\nFOLDER is one of these, or a folder or file below:",
  );
  console.log(`${names.join("\n")}\n\ndocs/mutation.md explains the figures.`);
  process.exit(name === "" ? 0 : 1);
}

process.env["KNARR_MUTATE_TESTS"] = folder.tests.join(" ");
const mutants = await new Stryker({
  testRunner: "vitest",
  plugins: [
    fileURLToPath(import.meta.resolve("@stryker-mutator/vitest-runner")),
    "./tools/mutate/plugins.ts",
  ],
  vitest: { configFile: "tools/mutate/vitest.config.ts", related: false },
  mutate: [...folder.mutate],
  ignorers: ["prose"],
  ignorePatterns: ["/bench", "/docs", "/examples", "/dist", "/.knarr"],
  concurrency: 1,
  coverageAnalysis: "perTest",
  ignoreStatic: !options.includes("--static"),
  timeoutMS: 3000,
  incremental: options.includes("--incremental"),
  incrementalFile: `node_modules/.cache/mutate/${name.replaceAll("/", "-")}.json`,
  reporters: [process.stdout.isTTY ? "progress" : "lines"],
  allowConsoleColors: process.stdout.isTTY,
  logLevel: "error" as LogLevel,
  warnings: false,
  disableTypeChecks: false,
  // TypeScript 7 has no interface for programs, with which the settings would be rewritten; nothing reads them.
  tsconfigFile: "none",
}).runMutationTest();
// Earlier results of other files are among them.
const own = new Set(folder.mutate.map((file) => resolve(file)));
console.log(
  report(
    name,
    mutants.filter(({ fileName }) => own.has(resolve(fileName))),
  ),
);
