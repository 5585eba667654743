import { type FSWatcher, watch } from "node:fs";
import { dirname } from "node:path";
import type { NodeView } from "./find-container.ts";
import type { Growth } from "./read-log.ts";

/**
 * Follows one incarnation: its log's directory through inotify, its end through the runtime's hints. Call it before
 * reading, so that nothing is written unseen. Ends with the signal.
 */
export function followGrowth(
  node: NodeView,
  incarnation: { readonly uid: string; readonly id: string; readonly logPath: string },
  signal: AbortSignal,
): Growth {
  const { uid, id, logPath } = incarnation;
  let changed = Promise.withResolvers<void>();
  const wake = () => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  const isRunning = () =>
    node
      .sandboxes(uid)
      .some(({ containers }) => containers.some((one) => one.id === id && one.state === "running"));
  // Hints may have been lost while nobody listened: the first look is ours.
  const followEnd = async () => {
    await node.context.refresh();
    wake();
    for await (const hint of node.context.runtime.watch(signal)) {
      if (hint !== uid) continue;
      await node.context.refresh();
      wake();
    }
  };
  const watcher = watchDirectory(dirname(logPath), wake);
  const stop = () => {
    watcher?.close();
    wake();
  };
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  let over = false;
  const ended = () => {
    over = true;
    wake();
  };
  // A runtime that closes ends the log for its readers, not the container.
  followEnd().then(ended, ended);
  return { live: () => !over && !signal.aborted && isRunning(), changed: () => changed.promise };
}

/** undefined when the directory is not there: then only the runtime's hints wake the reader. */
function watchDirectory(directory: string, wake: () => void): FSWatcher | undefined {
  try {
    return watch(directory, wake).on("error", () => {});
  } catch {
    return undefined;
  }
}
