import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { UsageError } from "../cli/flags.ts";
import { isRootless } from "./rootless/inside.ts";

/** The flags that select a cluster. */
export const clusterFlags = {
  name: {
    type: "string",
    value: "NAME",
    help: "The cluster's name: tells apart the clusters of one user on this machine.",
  },
  "data-dir": {
    type: "string",
    value: "DIR",
    help: "The cluster's directory (default ./.knarr, or one for each --name below the user's state).",
  },
} as const;

/** The directory of a cluster of this machine, and its name in kubeconfigs. */
export interface ClusterPlace {
  readonly directory: string;
  readonly context: string;
}

/** @throws UsageError when the name is not valid for files and contexts */
export function clusterPlace(flags: {
  readonly name: string | undefined;
  readonly "data-dir": string | undefined;
}): ClusterPlace {
  const { name, "data-dir": directory } = flags;
  if (name !== undefined && !/^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/.test(name)) {
    throw new UsageError(
      `--name must be lower-case letters, digits and "-", at most 40, and begin and end with a letter or digit, not ${JSON.stringify(name)}`,
    );
  }
  const context = name === undefined ? "knarr" : `knarr-${name}`;
  const standard = name === undefined ? "./.knarr" : join(stateHome(), name);
  return { context, directory: resolve(directory ?? standard) };
}

/** Root's clusters are the machine's. Root of a user's own namespaces is that user. */
export function stateHome(): string {
  if (process.getuid?.() === 0 && !isRootless) return "/var/lib/knarr";
  const state = process.env["XDG_STATE_HOME"] ?? "";
  return join(state.startsWith("/") ? state : join(homedir(), ".local/state"), "knarr");
}
