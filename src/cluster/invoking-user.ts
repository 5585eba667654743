import { spawnSync } from "node:child_process";
import { isRootless } from "./rootless/inside.ts";

/** An account of this machine. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Returns the account that called sudo; undefined when this is not root, was not called by sudo, or was
 * called by root itself.
 */
export function sudoUser(
  env: Readonly<Record<string, string | undefined>> = process.env,
  own = process.getuid?.(),
): Owner | undefined {
  if (own !== 0 || isRootless) return undefined;
  const uid = accountNumber(env["SUDO_UID"]);
  const gid = accountNumber(env["SUDO_GID"]);
  return uid === undefined || gid === undefined || uid === 0 ? undefined : { uid, gid };
}

/** The largest 32-bit number means "no account". */
function accountNumber(text: string | undefined): number | undefined {
  const number = /^\d{1,10}$/.test(text ?? "") ? Number(text) : Number.NaN;
  return number < 2 ** 32 - 1 ? number : undefined;
}

/**
 * Returns an account's home directory, even for an account that is not in /etc/passwd; undefined when it has
 * none.
 */
export function homeOf({ uid }: Owner): string | undefined {
  const { stdout } = spawnSync("getent", ["passwd", String(uid)], { encoding: "utf8" });
  const home = (stdout ?? "").split(":")[5];
  return home?.startsWith("/") === true ? home : undefined;
}
