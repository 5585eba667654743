/**
 * Writes to an output of this process, and ignores its errors (a full disk, a closed pipe): a cluster must
 * not end because of a log line.
 */
export function writeOutput(stream: NodeJS.WriteStream, text: string): void {
  if (!guarded.has(stream)) {
    guarded.add(stream);
    stream.on("error", () => {});
  }
  try {
    stream.write(text);
  } catch {
    // Files throw synchronously.
  }
}

const guarded = new WeakSet<NodeJS.WriteStream>();
