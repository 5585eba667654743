import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { makeDataDirectory } from "./data-directory.ts";
import { type Command, thisProgram } from "./rootless/launch.ts";
import type { StepEvent } from "./steps.ts";
import type { ReadyOptions, ReadyReport, UpView } from "./up-view.ts";
import { errorText } from "../util/error-text.ts";

/** A message of a background process to the process that started it. */
type Message = { readonly step: StepEvent } | { readonly ready: ReadyReport } | { readonly failed: string };

const marker = "KNARR_DETACHED";

/**
 * Starts `knarr up` in the background, by the command that `wrap` returns, and resolves when it is ready. @throws Error with
 * its message when it fails
 */
export async function upDetached(
  line: readonly string[],
  directory: string,
  view: UpView,
  options: Pick<ReadyOptions, "merged" | "flags">,
  wrap: (command: Command) => Command,
): Promise<void> {
  makeDataDirectory(directory);
  const log = openSync(join(directory, "knarr.log"), "a", 0o600);
  const [file, ...args] = wrap(thisProgram(["up", ...line, "--detach=false"]));
  const child = spawn(file, args, {
    detached: true,
    stdio: ["ignore", log, log, "ipc"],
    env: { ...process.env, [marker]: "1" },
  });
  closeSync(log);
  const stop = () => void child.kill("SIGTERM");
  process.once("SIGINT", stop).once("SIGTERM", stop);
  try {
    const report = await new Promise<ReadyReport>((resolve, reject) => {
      child.on("message", (message: Message) => {
        if ("step" in message) view.step(message.step);
        else if ("ready" in message) resolve(message.ready);
        else reject(new Error(message.failed));
      });
      child.once("error", reject);
      child.once("exit", () => reject(new Error(`Cannot start: see ${join(directory, "knarr.log")}`)));
    });
    view.ready(report, { ...options, keys: false, detached: true });
  } catch (error) {
    view.failed(error);
    throw error;
  } finally {
    process.off("SIGINT", stop).off("SIGTERM", stop);
    if (child.connected) child.disconnect();
    child.unref();
  }
}

/** Returns the view of a background process; undefined in every other. */
export function detachedView(): UpView | undefined {
  if (process.env[marker] === undefined || process.send === undefined) return undefined;
  Reflect.deleteProperty(process.env, marker);
  const send = (message: Message) => {
    if (process.connected) process.send?.(message);
  };
  return {
    starting: () => {},
    step: (step) => send({ step }),
    ready: (ready) => send({ ready }),
    stopping: () => {},
    stopped: () => {},
    failed: (error) => send({ failed: errorText(error) }),
    beside: (write) => write(),
  };
}
