import { type FSWatcher, watch } from "node:fs";
import { dirname } from "node:path";
import type { NodeView } from "./find-container.ts";
import type { Growth } from "./read-log.ts";

/**
 * Follows one incarnation: the log's directory through inotify, the container's end through the runtime's
 * hints. It must be called before the first read, so that no write is missed. It stops with the signal.
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
  // Hints from before this subscription are lost: one refresh makes up for them.
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
  // The runtime's closing ends the reading of the log, as the container's end does.
  followEnd().then(ended, ended);
  return { live: () => !over && !signal.aborted && isRunning(), changed: () => changed.promise };
}

/** Returns undefined when the directory does not exist: then only the runtime's hints wake the reader. */
function watchDirectory(directory: string, wake: () => void): FSWatcher | undefined {
  try {
    return watch(directory, wake).on("error", () => {});
  } catch {
    return undefined;
  }
}
