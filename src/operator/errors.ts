/**
 * Thrown by a reconciler: trying again will not help until the object changes. It is logged and let go.
 * Whatever else a reconciler throws is tried again, later and later.
 */
export class TerminalError extends Error {
  override readonly name = "TerminalError";
}

/** Correct the controller: it reads a kind from the cache that it did not declare. */
export class UndeclaredKindError extends Error {
  override readonly name = "UndeclaredKindError";
}
