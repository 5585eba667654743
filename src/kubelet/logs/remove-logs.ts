import { closeSync, constants, openSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename } from "node:path";
import { O_PATH } from "../safe-path/descriptors.ts";
import { LogDirectory } from "../safe-path/log-directory.ts";
import { removeTree } from "../safe-path/remove-tree.ts";

/** Removes the log of a removed container, with its rotated files. */
export async function removeLogs(logPath: string): Promise<void> {
  const directory = LogDirectory.open(logPath);
  if (directory === undefined) return;
  const name = basename(logPath);
  try {
    const names = await directory.names();
    for (const one of names.filter((other) => other === name || other.startsWith(`${name}.`)))
      await directory.remove(one);
  } finally {
    directory.close();
  }
}

/** Removes the logs of a Pod that is gone: the directory `<namespace>_<name>_<uid>`. */
export async function removePodLogs(logDirectory: string, uid: string): Promise<void> {
  const names = await readdir(logDirectory).catch(() => []);
  const found = names.filter((name) => uid !== "" && name.endsWith(`_${uid}`));
  if (found.length === 0) return;
  const root = openSync(logDirectory, O_PATH | constants.O_DIRECTORY);
  try {
    for (const name of found) await removeTree(root, name);
  } finally {
    closeSync(root);
  }
}
