import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  isUnused,
  kernelName,
  makeDataDirectory,
  openForPassing,
  removeDataDirectory,
} from "./data-directory.ts";
import { useDirectory } from "./temporary-directory.suite.ts";

const own = useDirectory();
const modeOf = (path: string) => statSync(path).mode & 0o777;

test("a cluster's directory is made for its owner alone, with what Pods write closed to others", () => {
  const directory = own.in("a/b/data");
  makeDataDirectory(directory);
  for (const path of [directory, own.in("a/b/data/logs"), own.in("a/b/data/pods")])
    expect([path, modeOf(path)]).toEqual([path, 0o700]);
  openForPassing(directory);
  chmodSync(own.in("a/b/data/pods"), 0o755);
  makeDataDirectory(directory);
  expect([modeOf(directory), modeOf(own.in("a/b/data/pods"))]).toEqual([0o711, 0o700]);
});

test("a directory that is there keeps its mode", () => {
  mkdirSync(own.in("shared"));
  chmodSync(own.in("shared"), 0o755);
  makeDataDirectory(own.in("shared"));
  expect(modeOf(own.in("shared"))).toBe(0o755);
});

test.each([
  ["nothing", [], true],
  ["a lock and logs", ["lock", "logs", "running.json"], true],
  ["keys", ["pki"], false],
  ["a store", ["store.db"], false],
  ["images", ["images"], false],
])("a directory that holds %s is unused: %s", (_, names, unused) => {
  for (const name of names) writeFileSync(own.in(name), "");
  expect(isUnused(own.path)).toBe(unused);
});

test("removing a cluster's directory removes what clusters put there, and the directory if nothing else is in it", () => {
  const directory = own.in("data");
  makeDataDirectory(directory);
  for (const name of ["store.db", "store.db-wal", "lock", "kubeconfig", "published.json"])
    writeFileSync(own.in("data", name), "");
  mkdirSync(own.in("data/pki"));
  writeFileSync(own.in("data/pki/ca.key"), "");
  writeFileSync(own.in("data/notes.txt"), "mine");
  writeFileSync(own.in("data/store.db.backup"), "mine");
  removeDataDirectory(directory);
  expect(readdirSync(directory).sort()).toEqual(["notes.txt", "store.db.backup"]);
  const empty = own.in("empty");
  makeDataDirectory(empty);
  removeDataDirectory(empty);
  expect(existsSync(empty)).toBe(false);
});

test("clusters of different directories have different names in the kernel, short enough for a link", () => {
  const names = Array.from({ length: 200 }, (_, index) => kernelName(`/data/${index}`));
  expect(new Set(names).size).toBe(200);
  for (const name of names) expect(name).toMatch(/^[a-z0-9-]{1,15}$/);
  expect(kernelName("/data/1")).toBe(names[1]);
});
