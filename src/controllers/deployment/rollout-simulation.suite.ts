import type { Deployment } from "../../api/apps/deployment/schema.ts";
import type { ReplicaSet } from "../../api/apps/replica-set/schema.ts";
import { formatTime } from "../../util/clock.ts";
import { aDeployment, start, template } from "../builders.suite.ts";
import { fenceposts } from "./fenceposts.ts";
import { planDeployment } from "./plan.ts";
import { sizeOf } from "./replica-sets.ts";

interface Running {
  pods: number;
  available: number;
}

export const image = (version: number) => ({
  ...template,
  spec: { containers: [{ name: "web", image: `web:${version}` }] },
});

/** A Deployment with its ReplicaSets and Pods. Each part changes only when a test calls its method. */
export class RolloutSimulation {
  deployment: Deployment;
  now = start;
  /** By UID, in the order of creation. */
  readonly sets = new Map<string, ReplicaSet>();
  /** The Pods that exist. A ReplicaSet's status shows them only after `syncSet`. */
  readonly running = new Map<string, Running>();
  #made = 0;

  constructor(spec: object) {
    this.deployment = aDeployment(spec);
  }

  get total(): number {
    return [...this.sets.values()].reduce((sum, one) => sum + sizeOf(one), 0);
  }

  get available(): number {
    return [...this.running.values()].reduce((sum, { available }) => sum + available, 0);
  }

  get bounds(): { readonly most: number; readonly least: number } {
    const { replicas = 1 } = this.deployment.spec;
    const { surge, unavailable } = fenceposts(this.deployment);
    return { most: replicas + surge, least: replicas - unavailable };
  }

  change(spec: Partial<Deployment["spec"]> & object): void {
    const { metadata } = this.deployment;
    const generation = (metadata.generation ?? 0) + 1;
    this.deployment = {
      ...this.deployment,
      metadata: { ...metadata, generation },
      spec: { ...this.deployment.spec, ...spec },
    };
  }

  /** Runs one reconciliation and returns the number of writes. */
  reconcile(): number {
    this.now += 1000;
    const { actions, write } = planDeployment({
      deployment: this.deployment,
      replicaSets: [...this.sets.values()],
      podsOf: (one) => this.#podsOf(one),
      now: this.now,
    });
    for (const { type, replicaSet } of actions) {
      if (type === "create") this.#create(replicaSet);
      else if (type === "update") this.#put(replicaSet);
      else this.sets.delete(replicaSet.metadata.uid ?? "");
    }
    if (write !== undefined) this.deployment = write;
    return actions.length + (write === undefined ? 0 : 1);
  }

  /**
   * Plays the ReplicaSet controller: scales to the desired size, removing unavailable Pods first, and updates
   * the status.
   */
  syncSet(index: number): void {
    const entry = this.#entry(index);
    if (entry === undefined) return;
    const [uid, replicaSet, running] = entry;
    running.pods = sizeOf(replicaSet);
    running.available = Math.min(running.available, running.pods);
    const { pods, available } = running;
    const { generation = 1 } = replicaSet.metadata;
    const status = { replicas: pods, readyReplicas: available, availableReplicas: available };
    this.sets.set(uid, { ...replicaSet, status: { ...status, observedGeneration: generation } });
  }

  /** Makes one more Pod of the ReplicaSet available, without updating the ReplicaSet's status. */
  podStarts(index: number): void {
    const running = this.#entry(index)?.[2];
    if (running !== undefined) running.available = Math.min(running.pods, running.available + 1);
  }

  /** Runs all parts repeatedly until nothing changes. */
  settle(rounds = 1000): void {
    for (let round = 0; round < rounds; round++) {
      const writes = this.reconcile();
      const before = JSON.stringify([...this.sets.values()]);
      for (let i = 0; i < this.sets.size; i++) {
        this.syncSet(i);
        this.podStarts(i);
        this.syncSet(i);
      }
      if (writes === 0 && before === JSON.stringify([...this.sets.values()])) return;
    }
    throw new Error("Cannot settle: every reconciliation writes");
  }

  #create(replicaSet: ReplicaSet): void {
    const uid = `uid-${++this.#made}`;
    const creationTimestamp = formatTime(this.now);
    this.running.set(uid, { pods: 0, available: 0 });
    const metadata = { ...replicaSet.metadata, uid, creationTimestamp, generation: 1 };
    this.sets.set(uid, { ...replicaSet, metadata });
  }

  #put(replicaSet: ReplicaSet): void {
    const { metadata } = replicaSet;
    const generation = (metadata.generation ?? 0) + 1;
    this.sets.set(metadata.uid ?? "", { ...replicaSet, metadata: { ...metadata, generation } });
  }

  #entry(index: number): readonly [string, ReplicaSet, Running] | undefined {
    const found = [...this.sets][index % Math.max(1, this.sets.size)];
    const running = found === undefined ? undefined : this.running.get(found[0]);
    return found === undefined || running === undefined ? undefined : [...found, running];
  }

  #podsOf({ metadata }: ReplicaSet) {
    const { pods = 0 } = this.running.get(metadata.uid ?? "") ?? {};
    return Array.from({ length: pods }, () => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: {},
      spec: { containers: [] },
      status: { phase: "Running" as const },
    })) as unknown as ReturnType<Parameters<typeof planDeployment>[0]["podsOf"]>;
  }
}
