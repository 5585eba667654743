import { closeSync, fstatSync } from "node:fs";
import { openTrusted, withDescriptors } from "./descriptors.ts";
import { openInside, PathError } from "./open-inside.ts";
import { RuntimeError } from "../runtime.ts";

/** A volume's mount in a container that has a `subPath`. */
export interface SubPathMount {
  readonly volume: string;
  readonly subPath: string;
  readonly mountName: string;
  readonly containerName: string;
}

/**
 * Opens what is at `subPath` in the volume, a descriptor; missing directories are made, as upstream's are: root's,
 * with the volume's mode (kubelet `SafeMakeDir`). The volume's content is the workload's, and changes at any moment.
 * @throws PathError for a path or a link that leaves the volume.
 */
export function openSubPath(volume: number, subPath: string): number {
  const mode = fstatSync(volume).mode & 0o7777;
  return openInside(volume, subPath, { scope: "beneath", create: { last: "directory", mode } });
}

/**
 * Makes the directories of a `subPath` before the container is made, so that the Pod shows what is wrong with it.
 * @throws RuntimeError in upstream's words, which say nothing of the host's files.
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

/** Checks the form of a `subPath`, which variables may have made (kubelet `makeMounts`). @throws RuntimeError */
export function checkSubPath(subPath: string): void {
  const refuse = (message: string) => new RuntimeError("CreateContainerConfigError", message);
  if (subPath.startsWith("/")) throw refuse(`error SubPath \`${subPath}\` must not be an absolute path`);
  if (subPath.split("/").includes(".."))
    throw refuse(`unable to provision SubPath \`${subPath}\`: must not contain '..'`);
}
