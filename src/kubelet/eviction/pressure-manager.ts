import { qosClass } from "../../api/core/pod/qos.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { tolerates } from "../../api/core/tolerations.ts";
import { every } from "../../util/clock.ts";
import { errorText } from "../../util/error-text.ts";
import { isCritical } from "../allocation/critical.ts";
import type { Refusal } from "../allocation/filter.ts";
import type { NodeContext } from "../node-context.ts";
import type { PodEnd } from "../pod/view.ts";
import type { SandboxStatus } from "../runtime.ts";
import { diskUsage } from "./disk-usage.ts";
import { excessBytes, type ImageAge, imagesToRemove, stepAges } from "./images.ts";
import { directoriesOf, placesOf, usageOf } from "./places.ts";
import {
  metThresholds,
  mostUrgent,
  noPressure,
  type Observations,
  type Pressure,
  stepPressure,
} from "./pressure.ts";
import { type PodUsage, pressureMessage, rankForEviction } from "./ranking.ts";
import {
  type EvictionSettings,
  type PressureCondition,
  resourceOf,
  type StarvedResource,
  type Threshold,
} from "./thresholds.ts";

/** Upstream's `evictionMonitoringPeriod`. */
const periodMs = 10_000;
/** Upstream's `ImageGCPeriod`. */
const imagesMs = 300_000;
/** The longest wait for the end of an evicted Pod before another one is evicted (`podCleanupTimeout`). */
const cleanupMs = 30_000;
/** Upstream's `immediateEvictionGracePeriodSeconds`. */
const immediateMs = 1000;

export interface PressureOptions {
  readonly node: NodeContext;
  readonly settings: EvictionSettings;
  readonly pods: () => Iterable<Pod>;
  readonly sandboxes: (uid: string) => readonly SandboxStatus[];
  readonly observe: () => Promise<Observations>;
  /** Ends a Pod. */
  readonly end: (pod: Pod, end: PodEnd) => void;
  /** Called when the node's conditions have changed. */
  readonly changed: () => void;
}

/** Keeps memory, disk and process IDs of the node free: by removing unused images, then by evicting Pods. */
export class PressureManager {
  readonly #options: PressureOptions;
  #pressure: Pressure = noPressure;
  #ages: ReadonlyMap<string, ImageAge> = new Map();
  /** The Pod that was evicted last, and the time. */
  #evicted: { readonly uid: string; readonly at: number } | undefined;

  constructor(options: PressureOptions) {
    this.#options = options;
  }

  conditions(): readonly PressureCondition[] {
    return this.#pressure.conditions;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { env } = this.#options.node;
    const guarded = (work: () => Promise<void>) => async () => {
      try {
        await work();
      } catch (error) {
        env.log.warn("Cannot keep the node's resources free", { error: errorText(error) });
      }
    };
    await Promise.all([
      every(
        env.clock,
        periodMs,
        signal,
        guarded(() => this.check()),
      ),
      every(
        env.clock,
        imagesMs,
        signal,
        guarded(() => this.collectImages()),
      ),
    ]);
  }

  /** Refuses a Pod that would make the pressure worse (kubelet `eviction_manager.go`, `Admit`). */
  refuse(pod: Pod): Refusal | undefined {
    const conditions = this.conditions();
    if (conditions.length === 0 || isCritical(pod)) return undefined;
    if (conditions.every((one) => one === "MemoryPressure")) {
      if (qosClass(pod.spec) !== "BestEffort") return undefined;
      const taint = { key: "node.kubernetes.io/memory-pressure", effect: "NoSchedule" } as const;
      if (pod.spec.tolerations?.some((one) => tolerates(one, taint)) === true) return undefined;
    }
    return { reason: "Evicted", message: `The node had condition: [${conditions.join(" ")}]. ` };
  }

  /** Measures, and evicts at most one Pod. */
  async check(): Promise<void> {
    const { node, settings, observe, changed } = this.#options;
    const observations = await observe();
    const before = this.conditions();
    this.#pressure = stepPressure(this.#pressure, settings, observations, node.env.clock.now());
    if (before.join() !== this.conditions().join()) changed();
    const { met } = this.#pressure;
    const urgent = mostUrgent(met);
    if (urgent === undefined || this.#isEnding()) return;
    const resource = resourceOf(urgent.signal);
    node.events.event(this.#node(), "Warning", "EvictionThresholdMet", `Attempting to reclaim ${resource}`);
    if ((resource === "ephemeral-storage" || resource === "inodes") && (await this.#reclaimImages())) return;
    await this.#evict(urgent, met, observations, resource);
  }

  /** Removes unused images when the disk is too full, or when they are too old. */
  async collectImages(): Promise<void> {
    const { node, settings, observe } = this.#options;
    const disk = (await observe()).get("imagefs.available");
    if (disk === undefined) return;
    const bytes = excessBytes(disk, settings);
    const freed = await this.#removeImages(bytes, settings.imageMinAgeMs);
    if (bytes === 0 || freed >= bytes) return;
    const message = `Failed to garbage collect required amount of images. Attempted to free ${bytes} bytes, but only found ${freed} bytes eligible to free.`;
    node.events.event(this.#node(), "Warning", "FreeDiskSpaceFailed", message);
  }

  /** Reports whether the removal of all unused images was enough. */
  async #reclaimImages(): Promise<boolean> {
    const { settings, observe } = this.#options;
    if ((await this.#removeImages(Infinity, 0)) === 0) return false;
    return metThresholds(settings.thresholds, await observe(), true).length === 0;
  }

  async #removeImages(bytes: number, imageMinAgeMs: number): Promise<number> {
    const { node, settings, pods, sandboxes } = this.#options;
    const now = node.env.clock.now();
    const { images } = node.runtime;
    const listed = await images.list();
    const containers = [...pods()].flatMap(({ metadata: { uid = "" } }) =>
      sandboxes(uid).flatMap((sandbox) => sandbox.containers),
    );
    const inUse = new Set(containers.map(({ imageId }) => imageId));
    this.#ages = stepAges(this.#ages, listed, inUse, now);
    const { imageMaxAgeMs } = settings;
    const chosen = imagesToRemove(listed, this.#ages, inUse, { bytes, now, imageMinAgeMs, imageMaxAgeMs });
    let freed = 0;
    for (const image of chosen) {
      try {
        for (const name of [...image.tags, ...image.digests]) await images.remove(name);
        freed += image.sizeBytes;
      } catch (error) {
        node.env.log.warn("Cannot remove an image", { image: image.id, error: errorText(error) });
      }
    }
    return freed;
  }

  /** Waits for the end of the last evicted Pod: its resources are not free before. */
  #isEnding(): boolean {
    if (this.#evicted === undefined) return false;
    const { uid, at } = this.#evicted;
    const { node, sandboxes } = this.#options;
    const runs = sandboxes(uid).some(({ containers }) => containers.some(({ state }) => state === "running"));
    if (runs && node.env.clock.now() - at < cleanupMs) return true;
    this.#evicted = undefined;
    return false;
  }

  async #evict(
    urgent: Threshold,
    met: readonly Threshold[],
    observations: Observations,
    resource: StarvedResource,
  ): Promise<void> {
    const { node, settings, end } = this.#options;
    const ranked = rankForEviction(await this.#usages(resource), resource);
    const found = ranked.find(({ pod }) => !isCritical(pod));
    if (found === undefined) {
      node.env.log.warn("No Pod can be evicted", { resource });
      return;
    }
    const own = (found.pod.spec.terminationGracePeriodSeconds ?? Infinity) * 1000;
    const graceMs = urgent.graceMs === 0 ? immediateMs : Math.min(settings.maxGraceMs, own);
    const message = pressureMessage(found, urgent, met, observations);
    this.#evicted = { uid: found.pod.metadata.uid ?? "", at: node.env.clock.now() };
    end(found.pod, { reason: "Evicted", message, graceMs, disruption: message });
  }

  /** Measures the Pods of which something runs. */
  async #usages(resource: StarvedResource): Promise<readonly PodUsage[]> {
    const { node, pods, sandboxes } = this.#options;
    const active = [...pods()]
      .map((pod) => ({ pod, sandboxes: sandboxes(pod.metadata.uid ?? "") }))
      .filter((one) =>
        one.sandboxes.some(({ containers }) => containers.some(({ state }) => state === "running")),
      );
    if (resource === "memory") {
      const measured = (await node.runtime.usage?.())?.containers;
      return active.map(({ pod, sandboxes: own }) => {
        const running = own.flatMap(({ containers }) => containers);
        const known = running.flatMap(({ id, name }) => {
          const bytes = measured?.get(id)?.memoryBytes;
          return bytes === undefined ? [] : [[name, bytes] as const];
        });
        const total = known.reduce((sum, [, bytes]) => sum + bytes, 0);
        return { pod, total: known.length === 0 ? undefined : total, containers: new Map(known) };
      });
    }
    if (resource === "pids")
      return active.map(({ pod }) => ({ pod, total: undefined, containers: new Map() }));
    const places = active.map(({ pod, sandboxes: own }) => ({ pod, places: placesOf(node, pod, own) }));
    const sizes = await diskUsage(places.flatMap((one) => directoriesOf(one.places)));
    return places.map(({ pod, places: own }) => {
      const { emptyDirs, containers, other } = usageOf(own, sizes);
      const total = [...emptyDirs.values(), ...containers.values()].reduce(
        (sum, bytes) => sum + bytes,
        other,
      );
      // Files are not counted: the bytes stand for them in the order, and not in the message.
      return { pod, total, containers: resource === "inodes" ? new Map() : containers };
    });
  }

  #node() {
    const { name } = this.#options.node;
    return { apiVersion: "v1", kind: "Node", metadata: { name, uid: name } };
  }
}
