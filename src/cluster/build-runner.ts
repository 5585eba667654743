import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { CommandRunner } from "../kubelet/image-build/run-command.ts";
import type { ImageStore } from "../kubelet/images/image-store.ts";
import { sleep } from "../util/clock.ts";
import type { Env } from "../util/env.ts";
import { kernelName } from "./data-directory.ts";
import { lockDirectory } from "./lock.ts";

/** The time between two attempts to lock the runner's directory. */
const lockPollMs = 200;

/** A runner of the commands of builds, which `close` removes with everything that it has made on the machine. */
export interface OpenRunner {
  readonly runner: CommandRunner;
  readonly close: () => Promise<void>;
}

/**
 * Opens the runner for builds in a cluster's directory, beside a cluster that runs. Waits for another build's
 * commands. @throws Error with the reason where no containers can be made
 */
export async function openBuildRunner(
  env: Env,
  {
    directory,
    images,
    signal,
  }: { readonly directory: string; readonly images: ImageStore; readonly signal: AbortSignal },
): Promise<OpenRunner> {
  const { nativeUnavailable } = await import("../kubelet/native/native-runtime.ts");
  const { NativeRunner } = await import("../kubelet/image-build/native-runner.ts");
  const obstacle = nativeUnavailable();
  if (obstacle !== undefined) throw new Error(`Cannot run commands in containers: ${obstacle}`);
  const place = buildDirectory(directory);
  mkdirSync(place, { recursive: true, mode: 0o700 });
  let unlock = lockDirectory(place);
  while (unlock === undefined) {
    await sleep(env.clock, lockPollMs, signal);
    signal.throwIfAborted();
    unlock = lockDirectory(place);
  }
  // The runtime's own handles do not keep a process alive: without a timer, the process could end in the middle.
  const over = new AbortController();
  const alive = stayAlive(env, over.signal);
  const release = async () => {
    unlock?.();
    over.abort();
    await alive;
  };
  try {
    const runner = await NativeRunner.open({ env, images, directory: place, cgroup: cgroupOf(directory) });
    return {
      runner,
      async close() {
        try {
          await runner.close();
        } finally {
          await release();
        }
      },
    };
  } catch (error) {
    await release();
    throw error;
  }
}

async function stayAlive(env: Env, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await sleep(env.clock, 60_000, signal);
}

/** Removes what a killed build has left in a cluster's directory and on the machine. */
export async function removeBuildRemains(env: Env, directory: string): Promise<void> {
  const place = buildDirectory(directory);
  if (!existsSync(join(place, "state"))) return;
  const { ImageStore } = await import("../kubelet/images/image-store.ts");
  const images = await ImageStore.open({ directory: join(directory, "images"), env });
  const { close } = await openBuildRunner(env, { directory, images, signal: AbortSignal.timeout(60_000) });
  await close();
  rmSync(place, { recursive: true, force: true });
}

function buildDirectory(directory: string): string {
  return join(directory, "images", "build");
}

function cgroupOf(directory: string): string {
  return `${kernelName(directory)}-build`;
}
