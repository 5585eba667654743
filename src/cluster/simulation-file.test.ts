import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { UsageError } from "../cli/flags.ts";
import { readSimulationFile } from "./simulation-file.ts";
import { useDirectory } from "./temporary-directory.suite.ts";

const head = "apiVersion: knarr.dev/v1alpha1\nkind: SimulationConfiguration\n";

const directory = useDirectory();

function fileOf(text: string): string {
  const file = directory.in("simulation.yaml");
  writeFileSync(file, text);
  return file;
}

test("a file gives the simulation, and the number of nodes that it lists", () => {
  const { simulation, listed } = readSimulationFile(fileOf(`${head}nodes: [{ count: 3 }, { name: gpu }]`));
  expect(simulation.nodes).toHaveLength(2);
  expect(listed).toBe(4);
  expect(readSimulationFile(fileOf(head)).listed).toBeUndefined();
});

test.each([
  ["an invalid file", `${head}nodes: [{ count: -1 }]`, "simulation.yaml: nodes[0].count: Invalid value: -1"],
  ["a file that is too long", `${head}# ${"x".repeat(1 << 20)}`, "the file is longer than 1 MiB"],
])("%s is refused with its name", (_, text, message) => {
  const file = fileOf(text);
  expect(() => readSimulationFile(file)).toThrow(UsageError);
  expect(() => readSimulationFile(file)).toThrow(message);
});

test("a missing file is refused", () => {
  expect(() => readSimulationFile("/nonexistent/a.yaml")).toThrow("Cannot read --simulation: ENOENT");
});
