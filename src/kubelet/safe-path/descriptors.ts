import { closeSync, constants, fstatSync, openSync } from "node:fs";

/** `O_PATH`, which Node does not name: the descriptor is a place in the file system, and nothing is read or run. */
export const O_PATH = 0o10000000;
const { O_DIRECTORY, O_NOFOLLOW } = constants;

/** The path of an open descriptor, or of a name directly below it: it leads there wherever the directory is by now. */
export function at(descriptor: number, name?: string): string {
  return `/proc/self/fd/${descriptor}${name === undefined ? "" : `/${name}`}`;
}

/** Opens a directory whose path only the administrator controls. A link as its last part is refused. */
export function openTrusted(path: string): number {
  return openSync(path, O_PATH | O_DIRECTORY | O_NOFOLLOW);
}

/** Tells files apart, whatever their paths. */
export interface Identity {
  readonly dev: number;
  readonly ino: number;
}

export function isSame(a: Identity, b: Identity): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}

export function isDirectory(descriptor: number): boolean {
  return fstatSync(descriptor).isDirectory();
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
