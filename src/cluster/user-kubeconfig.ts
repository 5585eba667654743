import { closeSync, existsSync, fstatSync, openSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { dirname } from "node:path";
import { mergeKubeconfig, removeFromKubeconfig } from "../cli/merge-kubeconfig.ts";
import { type Kubeconfig, kubeconfigPaths } from "../client/kubeconfig.ts";
import { errorCode } from "../util/error-code.ts";
import { homeOf, type Owner, sudoUser } from "./invoking-user.ts";
import { makePrivateDirectory, writePrivate } from "./write-private.ts";
import { errorText } from "../util/error-text.ts";

/**
 * Returns the file to which the user's kubectl would write a new context (client-go `clientcmd/config.go`).
 */
export function userKubeconfigPath(): string {
  const user = sudoUser();
  const home = user === undefined ? homedir() : homeOf(user);
  if (home === undefined)
    throw new Error(`Cannot merge the kubeconfig: user ${user?.uid} has no home directory`);
  const paths = kubeconfigPaths(process.env["KUBECONFIG"], home);
  return paths.find((path) => existsSync(path)) ?? paths.at(-1) ?? "";
}

/**
 * Adds a cluster to the user's kubeconfig. @throws Error when the file is no kubeconfig, or is being changed
 */
export function mergeIntoUserKubeconfig(path: string, config: Kubeconfig, makeCurrent: boolean): void {
  change(path, (text) => mergeKubeconfig(text, config, makeCurrent));
}

/** Removes a cluster from the user's kubeconfig. */
export function removeFromUserKubeconfig(path: string, config: Kubeconfig): void {
  if (existsSync(path)) change(path, (text) => removeFromKubeconfig(text, config));
}

/** Changes the target of a link instead of the link; the file keeps its owner. */
function change(path: string, edit: (text: string) => string): void {
  try {
    const target = existsSync(path) ? realpathSync(path) : path;
    makePrivateDirectory(dirname(target), sudoUser());
    whileLocked(target, () => {
      const { text, owner } = read(target);
      const edited = edit(text);
      if (edited !== text) writePrivate(target, edited, { owner });
    });
  } catch (error) {
    const why = errorText(error);
    throw new Error(`Cannot change the kubeconfig ${path}: ${why}`, { cause: error });
  }
}

/** Reads owner and text through one descriptor, so that they belong to the same file. */
function read(path: string): { text: string; owner: Owner | undefined } {
  let descriptor: number;
  try {
    descriptor = openSync(path, "r");
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    return { text: "", owner: sudoUser() };
  }
  try {
    const { uid, gid } = fstatSync(descriptor);
    return {
      text: readFileSync(descriptor, "utf8"),
      owner: process.getuid?.() === 0 ? { uid, gid } : undefined,
    };
  } finally {
    closeSync(descriptor);
  }
}

/** Takes the same lock as kubectl (client-go `clientcmd/loader.go`). */
function whileLocked(path: string, work: () => void): void {
  const lock = `${path}.lock`;
  try {
    closeSync(openSync(lock, "wx", 0o600));
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    throw new Error(`another program is changing it; if none is, remove ${lock}`, { cause: error });
  }
  try {
    work();
  } finally {
    rmSync(lock, { force: true });
  }
}
