import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Kubeconfig } from "../client/kubeconfig.ts";
import { mergeIntoUserKubeconfig, removeFromUserKubeconfig, userKubeconfigPath } from "./user-kubeconfig.ts";
import { writePrivate } from "./write-private.ts";

/** A cluster's directory remembers which kubeconfig has the cluster's context: that one is kept up to date. */
interface Merged {
  readonly path: string;
  /** The cluster, without the user's credentials. */
  readonly config: Kubeconfig;
}

const fileOf = (directory: string) => join(directory, "merged.json");

/**
 * Puts the context into the user's kubeconfig and makes it current when `asked`; else only brings one up to date that an
 * earlier start has put there. Answers with the kubeconfig's path; undefined when the context is in none.
 */
export function mergeContext(directory: string, config: Kubeconfig, asked: boolean): string | undefined {
  const path = asked ? userKubeconfigPath() : readMerged(directory)?.path;
  if (path === undefined) return undefined;
  mergeIntoUserKubeconfig(path, config, asked);
  const users = config.users.map(({ name }) => ({ name, user: {} }));
  const merged: Merged = { path, config: { ...config, users } };
  writePrivate(fileOf(directory), JSON.stringify(merged));
  return path;
}

/** Takes the context out of the user's kubeconfig, if it was put there. */
export function unmergeContext(directory: string): void {
  const merged = readMerged(directory);
  if (merged !== undefined) removeFromUserKubeconfig(merged.path, merged.config);
}

function readMerged(directory: string): Merged | undefined {
  const file = fileOf(directory);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Merged) : undefined;
}
