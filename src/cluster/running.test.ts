import { readFileSync, statSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readRunning, removeRunning, writeRunning } from "./running.ts";
import { useDirectory } from "./temporary-directory.suite.ts";

const own = useDirectory();
const ready = {
  context: "knarr",
  server: "https://127.0.0.1:6443",
  kubeconfig: "/k",
  ca: "CA",
  runtime: "simulated",
  nodes: 1,
  since: 0,
};

test("a directory names the process that has it, and what it serves once it is ready", async () => {
  expect(await readRunning(own.path)).toBeUndefined();
  writeRunning(own.path);
  expect(await readRunning(own.path)).toMatchObject({ pid: process.pid });
  expect((await readRunning(own.path))?.ready).toBeUndefined();
  writeRunning(own.path, ready);
  expect((await readRunning(own.path))?.ready).toEqual(ready);
  expect(statSync(own.in("running.json")).mode & 0o777).toBe(0o644);
  removeRunning(own.path);
  removeRunning(own.path);
  expect(await readRunning(own.path)).toBeUndefined();
});

test.runIf(process.platform === "linux").each([
  ["that has ended", { pid: 2 ** 22 - 1 }],
  ["whose number another one has by now", { startTime: "1" }],
])("a process %s has the directory no more", async (_, changed) => {
  writeRunning(own.path, ready);
  const written = JSON.parse(readFileSync(own.in("running.json"), "utf8"));
  writeFileSync(own.in("running.json"), JSON.stringify({ ...written, ...changed }));
  expect(await readRunning(own.path)).toBeUndefined();
});
