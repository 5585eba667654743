import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

const cache = join(import.meta.dirname, "../../node_modules/.cache/knarr");
const peers = join(import.meta.dirname, "peers");

/** A program built from other projects' modules. */
export interface Program {
  readonly name: string;
  /** The commands that build and run the program. */
  readonly needs: readonly string[];
  /** The source files and folders in `peers/`. */
  readonly sources: readonly string[];
  /** The folder in `peers/` where the build runs. Default: `peers/` itself. */
  readonly folder?: string;
  /** The command lines that build the program in `out`, a folder of its own. */
  build(out: string): readonly (readonly string[])[];
}

/** Returns the first command that the program needs and the PATH does not have. */
export function missingCommand({ needs }: Program): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return needs.find((name) => !folders.some((folder) => existsSync(join(folder, name))));
}

/**
 * Builds a program, which takes some minutes: once, and again when its sources change. Returns its folder. @throws
 * Error when a command fails; its output was sent to stderr
 */
export function built(program: Program): string {
  const { name, sources, folder = "." } = program;
  const out = join(cache, name);
  const lines = program.build(out);
  const hash = createHash("sha256").update(JSON.stringify(lines));
  for (const file of sources.flatMap((source) => filesIn(join(peers, source))))
    hash.update(readFileSync(file));
  const digest = hash.digest("hex");
  // Written last, so that an interrupted build does not count.
  const stamp = join(out, ".built-from");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === digest) return out;
  mkdirSync(out, { recursive: true });
  process.stderr.write(`Building ${name}, which takes some minutes …\n`);
  for (const [command = "", ...words] of lines) {
    const { status, error } = spawnSync(command, words, {
      cwd: join(peers, folder),
      stdio: ["ignore", process.stderr.fd, process.stderr.fd],
      env: { ...process.env, GOBIN: out },
    });
    if (status === 0) continue;
    throw new Error(`Cannot build ${name}: ${command} failed; is it installed?`, { cause: error });
  }
  writeFileSync(stamp, digest);
  return out;
}

function filesIn(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesIn(join(path, name)));
}
