import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { describeFlags, parseFlags, UsageError } from "../../cli/flags.ts";
import { isAlive, signal } from "../../kubelet/process-handle.ts";
import { sleep, systemClock } from "../../util/clock.ts";
import { systemRandom } from "../../util/random.ts";
import { lockDirectory } from "../lock.ts";
import { isRootless } from "../rootless/inside.ts";
import { insideNamespaces, thisProgram } from "../rootless/launch.ts";
import { isRootlessCluster } from "../rootless/namespaces.ts";
import { readRunning, type Running } from "../running.ts";
import { directoryError } from "../start-errors.ts";
import { clusterFlags, clusterPlace } from "../state-directory.ts";
import { textLogger } from "../text-logger.ts";

const specs = {
  ...clusterFlags,
  cleanup: {
    type: "bool",
    default: false,
    help: "Remove the cluster: its containers, its data, and its context in your kubeconfig.",
  },
  help: { type: "bool", short: "h", default: false, help: "Show this help." },
} as const;

const help = `Stop a cluster of this machine. Its containers keep running, and knarr up adopts them.

Usage:
  knarr down [flags]

Examples:
  knarr down                 # stop the cluster of this folder
  knarr down --cleanup       # remove it, whether it runs or not
  knarr down --name dev

Flags:
${describeFlags(specs)}
`;

const askEveryMs = 50;
const limitMs = 60_000;

/** Stops the cluster and waits until it has ended. A missing cluster is no failure. */
export async function down(line: readonly string[]): Promise<number> {
  const { flags, args } = parseFlags(specs, line);
  if (flags.help) {
    process.stdout.write(help);
    return 0;
  }
  if (args[0] !== undefined) throw new UsageError(`unknown argument: ${args[0]}`);
  const { directory } = clusterPlace(flags);
  const say = (text: string) => void process.stdout.write(`${text}\n`);
  if (!existsSync(directory)) {
    say(`There is no cluster in ${directory}.`);
    return 0;
  }
  if (flags.cleanup && !isRootless && isRootlessCluster(directory)) return cleanUpInside(directory, line);
  const { wasRunning, unlock } = await stopAndLock(directory).catch((error: unknown) => {
    throw directoryError(error, directory);
  });
  try {
    if (flags.cleanup) {
      const { removeStoppedCluster } = await import("../remove-cluster.ts");
      const env = { clock: systemClock, random: systemRandom, log: textLogger(systemClock, "warn") };
      await removeStoppedCluster(env, directory);
    }
  } finally {
    unlock();
  }
  if (flags.cleanup) say(`Removed the cluster in ${directory}; nothing is left.`);
  else say(wasRunning ? `Stopped the cluster in ${directory}.` : `No cluster runs in ${directory}.`);
  return 0;
}

/** Runs this command where the containers of an ordinary user's cluster are. Resolves to its exit code. */
async function cleanUpInside(directory: string, line: readonly string[]): Promise<number> {
  const { unlock } = await stopAndLock(directory);
  unlock();
  const [file, ...args] = insideNamespaces({ directory, listen: undefined }, thisProgram(["down", ...line]));
  const child = spawn(file, args, { stdio: "inherit" });
  const [code]: readonly (number | null)[] = await once(child, "close");
  return code ?? 1;
}

/** @throws Error when the cluster does not end */
async function stopAndLock(directory: string): Promise<{ wasRunning: boolean; unlock: () => void }> {
  const deadline = systemClock.monotonic() + limitMs;
  let asked: Running | undefined;
  for (;;) {
    const unlock = lockDirectory(directory);
    if (unlock !== undefined && (asked === undefined || !(await isAlive(asked))))
      return { wasRunning: asked !== undefined, unlock };
    unlock?.();
    const holder = await readRunning(directory);
    if (holder !== undefined && holder.pid !== asked?.pid) {
      // Sent once: a second signal would end the process without an orderly stop.
      asked = holder;
      if (holder.startTime === "") process.kill(holder.pid, "SIGTERM");
      else await signal(holder, "SIGTERM");
    }
    if (systemClock.monotonic() > deadline)
      throw new Error(`Cannot stop the cluster in ${directory}: it has not ended for a minute`);
    await sleep(systemClock, askEveryMs);
  }
}
