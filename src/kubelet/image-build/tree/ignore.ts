import { cleanParts } from "./tree.ts";
import { matchesPath } from "./glob.ts";

/** Bytes and patterns of a `.dockerignore`. */
export const maxIgnoreBytes = 256 * 1024;
const maxPatterns = 1000;

/** The files of a context that a build does not see (Dockerfile reference: ".dockerignore file"). */
export class Ignore {
  readonly #patterns: readonly { readonly parts: readonly string[]; readonly negated: boolean }[];
  /** True if a file below an ignored directory may be included again. */
  readonly hasExceptions: boolean;

  /** @throws Error for a malformed pattern */
  constructor(text: string) {
    const lines = text
      .replace(/^\uFEFF/, "")
      .split(/\r?\n/)
      .map((line) => (line.startsWith("#") ? "" : line.trim()))
      .filter((line) => line !== "");
    if (lines.length > maxPatterns) throw new Error(`.dockerignore has more than ${maxPatterns} patterns`);
    this.#patterns = lines.map((line) => {
      const negated = line.startsWith("!");
      const parts = cleanParts(negated ? line.slice(1).trim() : line);
      matchesPath(parts, parts); // Malformed ones fail here.
      return { parts, negated };
    });
    this.hasExceptions = this.#patterns.some(({ negated }) => negated);
  }

  /** Reports whether the last pattern that matches the path, or a directory above it, ignores it. */
  ignores(path: string): boolean {
    const parts = path.split("/");
    const prefixes = parts.map((_, index) => parts.slice(0, index + 1));
    let ignored = false;
    for (const pattern of this.#patterns) {
      if (pattern.negated !== ignored) continue; // It would change nothing.
      if (prefixes.some((prefix) => matchesPath(pattern.parts, prefix))) ignored = !pattern.negated;
    }
    return ignored;
  }
}
