import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Kubeconfig } from "../client/kubeconfig.ts";
import { writeKubeconfig } from "./kubeconfig.ts";
import { mergeIntoUserKubeconfig, removeFromUserKubeconfig, userKubeconfigPath } from "./user-kubeconfig.ts";
import { writePrivate, type WriteOptions } from "./write-private.ts";

/** The locations of a cluster's kubeconfig, recorded in its directory. */
interface Published {
  /** The file of this cluster alone. */
  readonly path: string;
  /** The user's own file, if it has the context too. */
  readonly merged?: string;
  /** The cluster, without the user's credentials. */
  readonly config: Kubeconfig;
}

export interface PublishOptions extends WriteOptions {
  readonly path: string;
  /** Adds the context to the user's kubeconfig as the current one. An existing context is always updated. */
  readonly merge: boolean;
}

/** Publishes the kubeconfig. Returns the path of the user's kubeconfig if that has the context. */
export function publishKubeconfig(
  directory: string,
  config: Kubeconfig,
  { path, merge, ...options }: PublishOptions,
): string | undefined {
  writeKubeconfig(path, config, options);
  const merged = merge ? userKubeconfigPath() : readPublished(directory)?.merged;
  if (merged !== undefined) mergeIntoUserKubeconfig(merged, config, merge);
  const users = config.users.map(({ name }) => ({ name, user: {} }));
  const published: Published = {
    path,
    ...(merged === undefined ? {} : { merged }),
    config: { ...config, users },
  };
  writePrivate(fileOf(directory), JSON.stringify(published));
  return merged;
}

/** Removes the published kubeconfig, unless another cluster has overwritten it. */
export function withdrawKubeconfig(directory: string): void {
  const published = readPublished(directory);
  if (published === undefined) return;
  const { path, merged, config } = published;
  if (merged !== undefined) removeFromUserKubeconfig(merged, config);
  const authority = config.clusters[0]?.cluster["certificate-authority-data"] ?? "";
  if (existsSync(path) && readFileSync(path, "utf8").includes(authority)) rmSync(path);
}

const fileOf = (directory: string) => join(directory, "published.json");

function readPublished(directory: string): Published | undefined {
  const file = fileOf(directory);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Published) : undefined;
}
