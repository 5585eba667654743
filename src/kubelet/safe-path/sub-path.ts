import { closeSync, fstatSync } from "node:fs";
import { openTrusted, withDescriptors } from "./descriptors.ts";
import { openInside, PathError } from "./open-inside.ts";
import { RuntimeError } from "../runtime.ts";

/** A volume mount with a `subPath`. */
export interface SubPathMount {
  readonly volume: string;
  readonly subPath: string;
  readonly mountName: string;
  readonly containerName: string;
}

/**
 * Opens `subPath` in the volume and returns a descriptor. Missing directories are created as upstream creates
 * them: owned by root, with the volume's mode (kubelet `SafeMakeDir`). The workload may change the volume's
 * content at any time.
 * @throws PathError for a path or a link that leaves the volume.
 */
export function openSubPath(volume: number, subPath: string): number {
  const mode = fstatSync(volume).mode & 0o7777;
  return openInside(volume, subPath, { scope: "beneath", create: { last: "directory", mode } });
}

/**
 * Creates the directories of a `subPath` before the container, so that the Pod's status shows any error.
 * @throws RuntimeError in upstream's words, which reveal nothing about the host's files.
 */
export function prepareSubPath({ volume, subPath, mountName, containerName }: SubPathMount): void {
  withDescriptors((open) => {
    try {
      // A host path may lead through links of the host.
      const root = open.add(openInside(open.add(openTrusted("/")), volume, { scope: "root" }));
      closeSync(openSubPath(root, subPath));
    } catch (error) {
      if (!(error instanceof PathError)) throw error;
      throw new RuntimeError(
        "CreateContainerConfigError",
        `failed to prepare subPath for volumeMount ${JSON.stringify(mountName)} of container ${JSON.stringify(containerName)}`,
        error,
      );
    }
  });
}

/**
 * Checks the form of a `subPath` after the expansion of variables (kubelet `makeMounts`). @throws
 * RuntimeError
 */
export function checkSubPath(subPath: string): void {
  const refuse = (message: string) => new RuntimeError("CreateContainerConfigError", message);
  if (subPath.startsWith("/")) throw refuse(`error SubPath \`${subPath}\` must not be an absolute path`);
  if (subPath.split("/").includes(".."))
    throw refuse(`unable to provision SubPath \`${subPath}\`: must not contain '..'`);
}
