import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { isAlive, readHandle, signal } from "../../kubelet/process-handle.ts";

/** The directory with the node's namespaces of an ordinary user: the holder's PID and the relay's socket. */
export function rootlessDirectory(directory: string): string {
  return join(directory, "rootless");
}

function holderOf(directory: string) {
  return readHandle(join(rootlessDirectory(directory), "holder"));
}

/** Reports whether a cluster's namespaces exist, and so perhaps containers. */
export async function hasNamespaces(directory: string): Promise<boolean> {
  const holder = await holderOf(directory);
  return holder !== undefined && (await isAlive(holder));
}

/** Ends the process that keeps a cluster's namespaces, unless there is state of containers. */
export async function endNamespaces(directory: string): Promise<void> {
  if (existsSync(join(directory, "run"))) return;
  const holder = await holderOf(directory);
  if (holder !== undefined) await signal(holder, "SIGKILL");
}

/** Reports whether an ordinary user's containers have been in a cluster's directory. @throws Error for another user's */
export function isRootlessCluster(directory: string): boolean {
  const own = rootlessDirectory(directory);
  if (!existsSync(own)) return false;
  const { uid } = statSync(own);
  if (uid === process.getuid?.()) return true;
  throw new Error(
    `Cannot use ${directory}: its containers are those of the user with the ID ${uid}; run as that user`,
  );
}
