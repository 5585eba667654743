import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorCode } from "../util/error-code.ts";

/** All that a cluster ever puts into its directory. */
const ownFiles = [
  "images",
  "kubeconfig",
  "knarr.log",
  "lock",
  "logs",
  "pid",
  "pki",
  "pods",
  "published.json",
  "ranges.json",
  "run",
  "running.json",
  "store.db",
  "store.db-probe",
  "store.db-shm",
  "store.db-wal",
];

/** Makes a cluster's directory where it is missing: for its owner alone, as everything in it. */
export function makeDataDirectory(directory: string): void {
  mkdirSync(dirname(directory), { recursive: true });
  if (!existsSync(directory)) mkdirSync(directory, { mode: 0o700 });
  // What Pods write there has modes of its own, and `openForPassing` lets others in.
  for (const name of ["logs", "pods"]) {
    const folder = join(directory, name);
    if (existsSync(folder)) chmodSync(folder, 0o700);
    else mkdirSync(folder, { mode: 0o700 });
  }
}

/** Whether the directory holds nothing yet that a user would miss. */
export function isUnused(directory: string): boolean {
  return !["images", "pki", "store.db"].some((name) => existsSync(join(directory, name)));
}

/** Lets others reach a file in the directory whose own mode lets them read it, and nothing else. */
export function openForPassing(directory: string): void {
  chmodSync(directory, 0o711);
}

/** Removes what clusters have put there. Other files, which the user has there for whatever reason, stay. */
export function removeDataDirectory(directory: string): void {
  for (const name of ownFiles) rmSync(join(directory, name), { recursive: true, force: true });
  try {
    if (readdirSync(directory).length === 0) rmdirSync(directory);
  } catch (error) {
    // Something is mounted there.
    if (errorCode(error) !== "EBUSY") throw error;
  }
}

/** Short, and different for each directory: two clusters on one machine must not share names in the kernel. */
export function kernelName(directory: string): string {
  return `knarr-${createHash("sha256").update(directory).digest("hex").slice(0, 6)}`;
}
