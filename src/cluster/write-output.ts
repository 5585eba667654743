/**
 * Writes to an output of this process, and goes on when that refuses (its disk is full, its reader is gone): a cluster
 * does not end for a line of its log.
 */
export function writeOutput(stream: NodeJS.WriteStream, text: string): void {
  if (!guarded.has(stream)) {
    guarded.add(stream);
    stream.on("error", () => {});
  }
  try {
    stream.write(text);
  } catch {
    // Files throw at once.
  }
}

const guarded = new WeakSet<NodeJS.WriteStream>();
