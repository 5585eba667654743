import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

/**
 * Builds `native/init/*.c` for each architecture: `build-init.ts [--check]`. With `--check`, it changes nothing, and
 * fails if a built program is not what its source gives. The compiler is a package of a fixed version and content, so that
 * every machine builds the same bytes.
 */
const { values: flags } = parseArgs({ options: { check: { type: "boolean", default: false } } });

const root = join(import.meta.dirname, "..");
/** In a fixed order, because the program depends on it. */
const sources = globSync(join(root, "native/init/*.c")).sort();
const version = "0.16.0";
/** The packages of Zig's compiler for C, with the SHA-512 of each in npm's notation. */
const packages = {
  "linux-x64":
    "sha512-zVSGKmIZb5w+ot3eDdoF7GzvICN1e6mwGIAgavDiQR0stXnJu9UgOMppcIKqP5fG5ecsH6jsIf9rThd3ZI/dlQ==",
  lib: "sha512-btxgqPJy93rwlcypaMHLLGjvtj/t1km+KUKjlCCxKV+UpayeI1v6ybXt4/jFI3ufDKoLe9GLKTpsX8bavMEygA==",
};
/** The compiler's names of the architectures, by Node's. */
const targets = { x64: "x86_64", arm64: "aarch64" };
const options = "-static -Os -s -std=c11 -Wall -Wextra -Werror".split(" ");

function run(purpose: string, command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): string {
  const child = spawnSync(command, args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...env },
  });
  if (child.status === 0) return child.stdout;
  throw new Error(`Cannot ${purpose}: ${command} failed`, { cause: child.error });
}

/** Returns the folder of the compiler, which is fetched once. */
function toolchain(): string {
  if (process.platform !== "linux" || process.arch !== "x64")
    throw new Error("Cannot build: the compiler's package is for Linux on x64");
  const folder = join(root, "node_modules/.cache/knarr", `zig-${version}`);
  const stamp = join(folder, ".complete");
  if (existsSync(stamp)) return folder;
  process.stderr.write(`Fetching the compiler (86 MB) …\n`);
  rmSync(folder, { recursive: true, force: true });
  for (const [name, integrity] of Object.entries(packages)) {
    const into = join(folder, name);
    mkdirSync(into, { recursive: true });
    const destination = `--pack-destination=${folder}`;
    const archive = join(
      folder,
      run("fetch the compiler", "npm", ["pack", "-s", destination, `@zigc/${name}@${version}`]).trim(),
    );
    const digest = createHash("sha512").update(readFileSync(archive)).digest("base64");
    if (`sha512-${digest}` !== integrity) throw new Error(`Cannot build: @zigc/${name} has other content`);
    run("unpack the compiler", "tar", ["xzf", archive, "-C", into, "--strip-components=1"]);
    rmSync(archive);
  }
  writeFileSync(stamp, "");
  return folder;
}

const folder = toolchain();
const cache = join(folder, "cache");
const scratch = mkdtempSync(join(tmpdir(), "knarr-init-"));
try {
  for (const [architecture, target] of Object.entries(targets)) {
    const built = join(scratch, architecture);
    run(
      `build for ${architecture}`,
      join(folder, "linux-x64/bin/zig"),
      ["cc", "-target", `${target}-linux-musl`, ...options, "-o", built, ...sources],
      {
        ZIG_LIB_DIR: join(folder, "lib"),
        ZIG_GLOBAL_CACHE_DIR: cache,
        ZIG_LOCAL_CACHE_DIR: cache,
      },
    );
    const kept = join(root, "native/init", `knarr-init-${architecture}`);
    if (!flags.check) writeFileSync(kept, readFileSync(built), { mode: 0o755 });
    else if (!readFileSync(kept).equals(readFileSync(built)))
      throw new Error(
        `native/init/knarr-init-${architecture} is not built from its sources: npm run build:init`,
      );
  }
} finally {
  rmSync(scratch, { recursive: true });
}
