/**
 * An error that a reconciler throws when a retry cannot help until the object changes. The error is logged and not
 * retried. Any other error of a reconciler is retried with growing delays.
 */
export class TerminalError extends Error {
  override readonly name = "TerminalError";
}

/** Correct the controller: it reads a kind from the cache that it did not declare. */
export class UndeclaredKindError extends Error {
  override readonly name = "UndeclaredKindError";
}
