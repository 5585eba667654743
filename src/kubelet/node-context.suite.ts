import type { NodeContext } from "./node-context.ts";

/** Returns a node that has only the parts that a test needs. The code under test reads no others. */
export function nodeContext(parts: object): NodeContext {
  return parts as NodeContext; // Safe: reading another part throws, and fails the test.
}
