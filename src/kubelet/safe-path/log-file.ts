import { chmodSync, closeSync, constants, fstatSync, openSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname, relative } from "node:path";
import { at, O_PATH, withDescriptors } from "./descriptors.ts";
import { codeOf, type InsideOptions, openInside, PathError } from "./open-inside.ts";

/**
 * Opens a container's log, `<root>/<pod>/<container>/<attempt>.log`, for reading. A link or a special file in its
 * place is refused: what may write to the logs' directory, by a host path, may not choose what `kubectl logs` shows.
 * Resolves with undefined when there is no log.
 */
export async function openLog(path: string): Promise<FileHandle | undefined> {
  try {
    // Elsewhere nodes are simulated, and no container writes anything.
    if (process.platform !== "linux") return await open(path, "r");
    const place = find(path);
    try {
      return await open(at(place), "r");
    } finally {
      closeSync(place);
    }
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Opens a log to append to it; its directories and the file are made. Returns a descriptor. */
export function appendToLog(path: string): number {
  const place = find(path, { last: "file", mode: 0o755 });
  try {
    chmodSync(at(place), 0o640);
    return openSync(at(place), constants.O_WRONLY | constants.O_APPEND);
  } finally {
    closeSync(place);
  }
}

function find(path: string, create?: InsideOptions["create"]): number {
  const root = dirname(dirname(dirname(path)));
  return withDescriptors((held) => {
    // The root is the administrator's, who may have put a link there.
    const directory = held.add(openSync(root, O_PATH | constants.O_DIRECTORY));
    const options = { scope: "plain", ...(create === undefined ? {} : { create }) } as const;
    const place = openInside(directory, relative(root, path), options);
    if (fstatSync(place).isFile()) return place;
    closeSync(place);
    throw new PathError(path, "EINVAL", "not a regular file");
  });
}
