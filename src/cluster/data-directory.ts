import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorCode } from "../util/error-code.ts";

/** Every file and folder that a cluster creates in its directory. */
const ownFiles = [
  "cri",
  "images",
  "kubeconfig",
  "kubelet",
  "knarr.log",
  "local-path",
  "lock",
  "logs",
  "pid",
  "pki",
  "plugins",
  "plugins_registry",
  "pods",
  "published.json",
  "ranges.json",
  "rootless",
  "run",
  "running.json",
  "store.db",
  "store.db-probe",
  "store.db-shm",
  "store.db-wal",
];

/** Creates a cluster's directory if it is missing. Only its owner may read it and its content. */
export function makeDataDirectory(directory: string): void {
  mkdirSync(dirname(directory), { recursive: true });
  if (!existsSync(directory)) mkdirSync(directory, { mode: 0o700 });
  // Files of Pods have their own modes, and `openForPassing` admits other users.
  for (const name of ["logs", "pods"]) {
    const folder = join(directory, name);
    if (existsSync(folder)) chmodSync(folder, 0o700);
    else mkdirSync(folder, { mode: 0o700 });
  }
}

/** Reports whether the directory has no data yet that a user could miss. */
export function isUnused(directory: string): boolean {
  return !["images", "pki", "store.db"].some((name) => existsSync(join(directory, name)));
}

/**
 * Lets other users traverse the directory to a file whose own mode lets them read it. They cannot list the
 * directory.
 */
export function openForPassing(directory: string): void {
  chmodSync(directory, 0o711);
}

/** Removes a cluster's files. Other files stay. */
export function removeDataDirectory(directory: string): void {
  for (const name of ownFiles) rmSync(join(directory, name), { recursive: true, force: true });
  try {
    if (readdirSync(directory).length === 0) rmdirSync(directory);
  } catch (error) {
    // It is a mount point.
    if (errorCode(error) !== "EBUSY") throw error;
  }
}

/**
 * Returns a short name that is unique to the directory: clusters on one machine must not share names in the
 * kernel.
 */
export function kernelName(directory: string): string {
  return `knarr-${createHash("sha256").update(directory).digest("hex").slice(0, 6)}`;
}
