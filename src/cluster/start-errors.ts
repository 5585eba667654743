import { StoreFailedError } from "../store/errors.ts";
import { errorCode } from "../util/error-code.ts";
import { table } from "../util/table.ts";
import { errorText } from "../util/error-text.ts";

/** Returns an error with a remedy for an address that is in use or unavailable. */
export function listenError(error: unknown, host: string, port: number): Error {
  const where = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const fail = (why: string) => new Error(`Cannot listen on ${where}: ${why}`, { cause: error });
  switch (errorCode(error)) {
    case "EADDRINUSE":
      return fail("another program has this port; choose another with --port, or any free one with --port 0");
    case "EACCES":
      return fail(
        "this port is for root alone; choose one above 1023 with --port, or any free one with --port 0",
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return fail("this machine has no such address; choose one that it has with --bind-address");
    default:
      return fail(errorText(error));
  }
}

const diskErrors: Readonly<Record<string, string>> = table({
  ENOSPC: "the disk is full; free some space and start again",
  EDQUOT: "the disk quota is used up; free some space and start again",
  EROFS: "the file system is read-only; choose another directory with --data-dir",
  EACCES:
    "its files are not this user's; choose another directory with --data-dir, or run as the user who has made it",
  EPERM:
    "its files are not this user's; choose another directory with --data-dir, or run as the user who has made it",
  ENOTDIR: "a part of the path is no directory; choose another with --data-dir",
});

/** Returns an error with a remedy for a problem with a cluster's files; every other error is unchanged. */
export function directoryError(error: unknown, directory: string): unknown {
  const code = errorCode(error) ?? "";
  const isFull = isFullStore(error) || (error instanceof Error && isFullStore(error.cause));
  const why = isFull ? diskErrors["ENOSPC"] : Object.hasOwn(diskErrors, code) ? diskErrors[code] : undefined;
  return why === undefined ? error : new Error(`Cannot use ${directory}: ${why}`, { cause: error });
}

/** Recognizes SQLite's "database or disk is full", as the store or the API server reports it. */
function isFullStore(error: unknown): boolean {
  return error instanceof Error &&
    (error instanceof StoreFailedError || /database or disk is full/.test(error.message))
    ? /disk is full/.test(error.message)
    : false;
}
