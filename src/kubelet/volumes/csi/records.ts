import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../../../util/error-code.ts";

/** The facts that a restarted node agent needs to unmount a volume (upstream's `vol_data.json`). */
export interface CsiRecord {
  readonly driver: string;
  readonly handle: string;
  /** Empty for a driver that does not stage. */
  readonly stagingPath: string;
  /** True for a volume that is attached to the node. */
  readonly isAttached: boolean;
}

/** A record with its directory: that of the Pod's volume, which holds the record and the mount point. */
export interface FoundRecord extends CsiRecord {
  readonly uid: string;
  readonly directory: string;
}

const fileName = "vol_data.json";
/** The mount point beside the record. */
const mountName = "mount";

export function mountPoint(directory: string): string {
  return join(directory, mountName);
}

export async function writeRecord(directory: string, record: CsiRecord): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o750 });
  const file = join(directory, fileName);
  await writeFile(`${file}.new`, JSON.stringify(record), { mode: 0o600, flush: true });
  await rename(`${file}.new`, file);
}

/** Returns the records of one Pod. `pods` is the directory of all Pods' volumes. */
export async function recordsOf(pods: string, uid: string): Promise<readonly FoundRecord[]> {
  const parent = join(pods, uid, "csi");
  const found = await Promise.all((await entries(parent)).map((name) => read(uid, join(parent, name))));
  return found.flatMap((record) => record ?? []);
}

/** Returns the records of all Pods. */
export async function allRecords(pods: string): Promise<readonly FoundRecord[]> {
  const found = await Promise.all((await entries(pods)).map((uid) => recordsOf(pods, uid)));
  return found.flat();
}

async function entries(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) return [];
    throw error;
  }
}

async function read(uid: string, directory: string): Promise<FoundRecord | undefined> {
  try {
    // Safe: only the node agent writes below the directory.
    const record = JSON.parse(await readFile(join(directory, fileName), "utf8")) as CsiRecord;
    return { ...record, uid, directory };
  } catch (error) {
    // A power failure may leave an empty file. Then the driver is not called, and the mount is only unmounted.
    if (errorCode(error) === "ENOENT" || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
