import { constants } from "node:fs";
import { open, readFile, writeFile } from "node:fs/promises";
import { release } from "node:os";
import { join } from "node:path";
import { errorCode } from "../../util/error-code.ts";
import { errorText } from "../../util/error-text.ts";
import { LruMap } from "../../util/lru.ts";
import type { Seccomp } from "../runtime.ts";
import type { LaunchFilter } from "./init-plan.ts";
import { decodeProfile } from "./seccomp/decode-profile.ts";
import type { SeccompProfile } from "./seccomp/profile.ts";
import { runtimeDefault } from "./seccomp/runtime-default.ts";
import { seccompFilter } from "./seccomp/seccomp-filter.ts";
import { limits } from "./seccomp/validation.ts";

/** One byte more than a profile may have: the decoder refuses it. */
const readBytes = limits.fileBytes + 1;

/** The filters of `RuntimeDefault`, by capabilities: most containers have the same. */
const defaults = new LruMap<string, LaunchFilter>(16);

/**
 * Compiles a container's profile for this machine; undefined for none. `directory` holds the node's own profiles.
 * @throws Error for a profile that is missing or invalid
 */
export async function launchFilter(
  seccomp: Seccomp,
  capabilities: readonly string[],
  directory: string,
): Promise<LaunchFilter | undefined> {
  if (seccomp.type === "Unconfined") return undefined;
  if (seccomp.type === "Localhost") {
    const { profile } = seccomp;
    if (profile.startsWith("/") || profile.split("/").includes(".."))
      throw new Error(`the seccomp profile ${JSON.stringify(profile)} is outside of the node's directory`);
    return localFilter(join(directory, profile), capabilities);
  }
  const key = capabilities.join(",");
  const known = defaults.get(key);
  if (known !== undefined) return known;
  const filter = compile(runtimeDefault, capabilities);
  defaults.set(key, filter);
  return filter;
}

function compile(profile: SeccompProfile, capabilities: readonly string[]): LaunchFilter {
  const { arch: architecture } = process;
  if (architecture !== "x64" && architecture !== "arm64")
    throw new Error(`no seccomp filters for ${architecture}`);
  const { flags, program } = seccompFilter(profile, { architecture, capabilities, kernel: release() });
  return { flags, program: Buffer.from(program).toString("hex") };
}

/** The administrator controls the directory; a Pod only names a file in it. */
async function localFilter(path: string, capabilities: readonly string[]): Promise<LaunchFilter> {
  try {
    return compile(decodeProfile(await readStart(path)), capabilities);
  } catch (error) {
    throw new Error(`cannot load seccomp profile ${JSON.stringify(path)}: ${errorText(error)}`, {
      cause: error,
    });
  }
}

/** Does not wait for a writer of a pipe. */
async function readStart(path: string): Promise<Uint8Array> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw new Error("it is not a file");
    const { buffer, bytesRead } = await file.read(Buffer.alloc(readBytes), 0, readBytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Keeps a container's filter for its execs: the profile's file may change meanwhile. */
export async function saveFilter(path: string, filter: LaunchFilter | undefined): Promise<void> {
  if (filter !== undefined) await writeFile(path, JSON.stringify(filter), { mode: 0o600 });
}

export async function loadFilter(path: string): Promise<LaunchFilter | undefined> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  });
  // Safe: only `saveFilter` writes the file.
  return text === undefined ? undefined : (JSON.parse(text) as LaunchFilter);
}
