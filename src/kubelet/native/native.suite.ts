import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { systemClock } from "../../util/clock.ts";
import { silentLogger } from "../../util/logger.ts";
import { systemRandom } from "../../util/random.ts";
import { ImageStore } from "../images/image-store.ts";
import type { RuntimeUnderTest } from "../runtime.suite.ts";
import { type RuntimeFixture, useRuntime } from "../runtime-fixture.suite.ts";
import { NativeRuntime } from "./native-runtime.ts";
import type { NativeOptions } from "./options.ts";

const env = { clock: systemClock, random: systemRandom, log: silentLogger };
export const hostImageName = "knarr.local/host:latest";

export interface NativeUnderTest extends RuntimeUnderTest {
  readonly runtime: NativeRuntime;
  readonly options: NativeOptions & { readonly bridge: string };
  readonly images: ImageStore;
  readonly directory: string;
  restart(): Promise<NativeRuntime>;
  /** Removes the runtime, and checks that nothing is left on the machine. */
  dispose(): Promise<void>;
}

let opened = 0;

/**
 * Opens a runtime with its own directory, bridge, cgroup and network. A blackhole route keeps packets to its
 * Pods on the machine while the bridge does not exist.
 */
export async function openNative(): Promise<NativeUnderTest> {
  const mark = `${process.pid}x${opened++}`;
  const directory = await mkdtemp(join(tmpdir(), `knarr-native-${mark}-`));
  const podCIDR = `10.${200 + (process.pid % 50)}.${opened + 10}.0/24`;
  const before = hostTraces(mark);
  ip("route", "add", "blackhole", podCIDR, "metric", "4096");
  const images = await ImageStore.open({ directory: join(directory, "images"), env });
  await images.pull(hostImageName);
  const stateDirectory = join(directory, "state");
  const seccompDirectory = join(directory, "seccomp");
  const options = {
    env,
    images,
    stateDirectory,
    seccompDirectory,
    podCIDR,
    bridge: `kb${mark}`,
    cgroup: `knarr-test-${mark}`,
  };
  let runtime = await NativeRuntime.open(options);
  return {
    runtime,
    options,
    images,
    directory,
    image: hostImageName,
    logDirectory: join(directory, "logs"),
    async restart() {
      await runtime.close();
      return (runtime = await NativeRuntime.open(options));
    },
    async dispose() {
      await runtime.destroyAll();
      ip("route", "del", "blackhole", podCIDR, "metric", "4096");
      await rm(directory, { recursive: true });
      expect(hostTraces(mark)).toEqual(before);
    },
  };
}

/** Opens a runtime before the tests of this block, and removes it after them. */
export function useNative(): RuntimeFixture<NativeUnderTest> {
  return useRuntime(openNative);
}

/** Returns everything on the machine that a runtime could leave behind. */
function hostTraces(mark: string): object {
  const commands = globSync("/proc/[0-9]*/cmdline").map(readIfThere);
  return {
    mounts: readFileSync("/proc/self/mountinfo", "utf8")
      .split("\n")
      .filter((line) => line.includes(`knarr-native-${mark}`)),
    // The links of other runtimes on the machine are on their bridges; ours have none any more.
    links: ip("-oneline", "link")
      .split("\n")
      .filter(
        (line) =>
          line.includes(`kb${mark}`) || (/: kn[0-9a-f]{12}\b/.test(line) && !line.includes(" master ")),
      ),
    cgroups: globSync(`/sys/fs/cgroup/{,*/}knarr-test-${mark}`),
    processes: commands.filter((command) => command.includes(`knarr-native-${mark}`)),
  };
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}

export function ip(...args: readonly string[]): string {
  return execFileSync("ip", args, { encoding: "utf8" });
}
