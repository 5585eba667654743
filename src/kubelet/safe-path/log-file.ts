import { chmodSync, closeSync, constants, fstatSync, openSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname, relative } from "node:path";
import { at, O_PATH, withDescriptors } from "./descriptors.ts";
import { codeOf, type InsideOptions, openInside, PathError } from "./open-inside.ts";

/**
 * Opens a container's log, `<root>/<pod>/<container>/<attempt>.log`, for reading. A link or a special file in
 * its place is refused: a container that can write to the logs' directory, through a host path, must not
 * choose what `kubectl logs` shows. Resolves to undefined when the log does not exist.
 */
export async function openLog(path: string): Promise<FileHandle | undefined> {
  try {
    // On other platforms nodes are simulated, and no container writes to the host.
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

/** Opens a log for appending. Missing directories and the file are created. Returns a descriptor. */
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
    // The administrator owns the root and may have made it a link.
    const directory = held.add(openSync(root, O_PATH | constants.O_DIRECTORY));
    const options = { scope: "plain", ...(create === undefined ? {} : { create }) } as const;
    const place = openInside(directory, relative(root, path), options);
    if (fstatSync(place).isFile()) return place;
    closeSync(place);
    throw new PathError(path, "EINVAL", "not a regular file");
  });
}
