import { join } from "node:path";
import type { Pod } from "../../api/core/pod/schema.ts";
import { diskUsage } from "../eviction/disk-usage.ts";
import type { NodeContext } from "../node-context.ts";
import { podLogDirectory } from "../pod/sandbox-config.ts";
import type { SandboxStatus } from "../runtime.ts";
import type { PodStorage } from "./host.ts";

/** The age at which sizes are measured again: du reads every directory. */
const lifeMs = 60_000;

/** Measures the disk usage of Pods, at most once a minute, and once for all callers that ask meanwhile. */
export class StorageMonitor {
  readonly #node: NodeContext;
  readonly #pods: () => readonly Pod[];
  readonly #sandboxes: (uid: string) => readonly SandboxStatus[];
  #measured: Promise<ReadonlyMap<string, PodStorage>> | undefined;
  #until = 0;

  constructor(
    node: NodeContext,
    pods: () => readonly Pod[],
    sandboxes: (uid: string) => readonly SandboxStatus[],
  ) {
    this.#node = node;
    this.#pods = pods;
    this.#sandboxes = sandboxes;
  }

  measure(): Promise<ReadonlyMap<string, PodStorage>> {
    const now = this.#node.env.clock.monotonic();
    if (this.#measured !== undefined && now < this.#until) return this.#measured;
    this.#until = now + lifeMs;
    this.#measured = this.#measure();
    return this.#measured;
  }

  async #measure(): Promise<ReadonlyMap<string, PodStorage>> {
    const places = this.#pods().map((pod) => this.#placesOf(pod));
    const sizes = await diskUsage(
      places.flatMap(({ volumes, containers, other }) => [
        ...volumes.values(),
        ...other,
        ...[...containers.values()].flatMap(({ layer, logs }) => [
          logs,
          ...(layer === undefined ? [] : [layer]),
        ]),
      ]),
    );
    const size = (path: string) => sizes.get(path) ?? 0;
    const at = this.#node.env.clock.now();
    return new Map(
      places.map(({ uid, volumes, containers, other }) => {
        const disks = [...containers].map(
          ([name, { layer, logs }]) =>
            [name, { rootfs: layer === undefined ? undefined : size(layer), logs: size(logs) }] as const,
        );
        const used = new Map([...volumes].map(([name, path]) => [name, size(path)]));
        const parts = [
          ...used.values(),
          ...other.map(size),
          ...disks.flatMap(([, { rootfs = 0, logs }]) => [rootfs, logs]),
        ];
        const total = parts.reduce((sum, one) => sum + one, 0);
        return [uid, { at, volumes: used, containers: new Map(disks), total }];
      }),
    );
  }

  #placesOf(pod: Pod) {
    const { uid = "" } = pod.metadata;
    const { emptyDirs, other } = this.#node.volumes.diskPlaces(pod);
    const directory = podLogDirectory(this.#node, pod);
    const containers = new Map<string, { layer: string | undefined; logs: string }>();
    const incarnations = this.#sandboxes(uid).flatMap((sandbox) => sandbox.containers);
    for (const { id, name } of incarnations.toSorted((a, b) => a.attempt - b.attempt))
      containers.set(name, { layer: this.#node.runtime.writableLayer?.(id), logs: join(directory, name) });
    return { uid, volumes: emptyDirs, other, containers };
  }
}
