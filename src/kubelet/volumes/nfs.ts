import { mkdir } from "node:fs/promises";
import type { NFSVolumeSource } from "../../api/core/volume/drivers.ts";
import { exists } from "./exists.ts";
import { isMountPoint, mount } from "./mounts.ts";

const helpers = ["/sbin/mount.nfs", "/usr/sbin/mount.nfs"];

/** The part of an NFS volume that its mount needs. */
export interface NfsMount {
  readonly source: NFSVolumeSource;
  readonly readOnly: boolean;
  readonly options: readonly string[];
  /** Default: where distributions install mount.nfs(8). */
  readonly helpers?: readonly string[];
}

/** Mounts an NFS export at a directory, once. @throws Error when the node has no mount.nfs(8) */
export async function mountNfs(
  directory: string,
  { source, readOnly, options, helpers: paths = helpers }: NfsMount,
  signal?: AbortSignal,
): Promise<void> {
  const found = await Promise.all(paths.map(exists));
  if (!found.includes(true))
    throw new Error("cannot mount NFS: this node has no mount.nfs; install nfs-common or nfs-utils");
  if (await isMountPoint(directory)) return;
  await mkdir(directory, { recursive: true, mode: 0o750 });
  await mount("nfs", nfsSource(source), directory, [...(readOnly ? ["ro"] : []), ...options], { signal });
}

/** Returns the export as mount(8) takes it; an IPv6 address is in brackets. */
export function nfsSource({ server, path }: NFSVolumeSource): string {
  const isAddress = server.includes(":") && !server.startsWith("[");
  return `${isAddress ? `[${server}]` : server}:${path}`;
}
