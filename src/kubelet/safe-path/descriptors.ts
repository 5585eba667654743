import { closeSync, constants, openSync } from "node:fs";

/**
 * `O_PATH`, for which Node has no constant: the descriptor is a location in the file system, without access
 * to the contents.
 */
export const O_PATH = 0o10000000;
const { O_DIRECTORY, O_NOFOLLOW } = constants;

/**
 * Returns the path of an open descriptor, or of a name directly below it. It stays valid when the directory
 * is moved.
 */
export function at(descriptor: number, name?: string): string {
  return `/proc/self/fd/${descriptor}${name === undefined ? "" : `/${name}`}`;
}

/** Opens a directory whose path only the administrator controls. A link as its last part is refused. */
export function openTrusted(path: string): number {
  return openSync(path, O_PATH | O_DIRECTORY | O_NOFOLLOW);
}

/** Descriptors that are closed together. */
export class Descriptors {
  readonly #open: number[] = [];

  add(descriptor: number): number {
    this.#open.push(descriptor);
    return descriptor;
  }

  close(): void {
    for (const descriptor of this.#open.splice(0)) closeSync(descriptor);
  }
}

/** Runs `work` with descriptors that are closed when it returns or throws. */
export function withDescriptors<T>(work: (descriptors: Descriptors) => T): T {
  const descriptors = new Descriptors();
  try {
    return work(descriptors);
  } finally {
    descriptors.close();
  }
}
