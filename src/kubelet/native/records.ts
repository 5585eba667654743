import { readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ContainerConfig, SandboxConfig } from "../runtime.ts";
import type { Credentials } from "./credentials.ts";

/** A sandbox on disk, `sandbox.json`. */
export interface SandboxRecord {
  readonly id: string;
  readonly config: SandboxConfig;
  readonly createdAt: number;
  readonly ready: boolean;
  /** Absent on the host network, and once stopped. */
  readonly address?: string;
}

/** A process to run, merged from image and Pod. */
export interface ProcessSpec {
  readonly argv: readonly string[];
  /** `NAME=value` each. */
  readonly env: readonly string[];
  readonly cwd: string;
  readonly credentials: Credentials;
  readonly stopSignal: string;
}

/** A container on disk, `container.json`. State that changes while it runs is in its supervisor's files. */
export interface ContainerRecord {
  readonly id: string;
  readonly sandboxId: string;
  readonly config: ContainerConfig;
  readonly imageId: string;
  readonly process: ProcessSpec;
  readonly logPath: string;
  readonly createdAt: number;
  /**
   * Set before the supervisor is started: from then on, no supervisor and no exit code means that it was
   * lost.
   */
  readonly started: boolean;
  /** The reason why it did not start. */
  readonly message?: string;
}

/** Replaces the file atomically: a reader, also after a crash, sees the old or the new record. */
export async function saveRecord(file: string, record: SandboxRecord | ContainerRecord): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(record), { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** Returns the records in the subdirectories of `directory`, and the names of incomplete ones. */
export async function loadRecords<T extends SandboxRecord | ContainerRecord>(
  directory: string,
  file: string,
  parse: (json: string) => T,
): Promise<{ records: readonly T[]; incomplete: readonly string[] }> {
  const records: T[] = [];
  const incomplete: string[] = [];
  for (const name of await readdir(directory)) {
    const text = await readFile(join(directory, name, file), "utf8").catch(() => undefined);
    if (text === undefined) incomplete.push(name);
    else records.push(parse(text));
  }
  return { records, incomplete };
}
