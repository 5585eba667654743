import type { ContainerStatus } from "../../api/core/pod/container-status.ts";
import { type Pod, pods } from "../../api/core/pod/schema.ts";
import type { InputOf } from "../../meta/kind.ts";
import { controller, type Controller } from "../../operator/controller.ts";
import { formatTime } from "../../util/clock.ts";
import type { Env } from "../../util/env.ts";
import { completionIndex } from "./pods.ts";

/** The result of a Pod's container. */
export interface Fate {
  /** Default 0. */
  readonly exitCode?: number;
  /** The time for which the container runs, in milliseconds; 1000 unless given, for ever when Infinity. */
  readonly runMs?: number;
}

export interface JobNodeOptions {
  /** `attempt` counts the Pods of one index, or all Pods without an index, from 1. */
  readonly fate?: (pod: Pod, attempt: number) => Fate;
  /** The time that a deleted Pod takes to terminate, in milliseconds. */
  readonly stopMs?: number;
}

/** Plays kubelets whose containers end: runs Pods, ends them with their fate, terminates deleted Pods. */
export function jobNodes(env: Env, { fate = () => ({}), stopMs = 0 }: JobNodeOptions = {}): Controller {
  const since = new Map<string, number>();
  const attempts = new Map<string, number>();
  const fates = new Map<string, Fate>();
  const waits = (what: string, ms: number) => {
    const from = since.get(what) ?? env.clock.now();
    since.set(what, from);
    return from + ms - env.clock.now();
  };
  const fateOf = (pod: Pod) => {
    const { uid = "", labels } = pod.metadata;
    const known = fates.get(uid);
    if (known !== undefined) return known;
    const line = `${labels?.["job-name"]} ${completionIndex(pod)}`;
    const attempt = (attempts.get(line) ?? 0) + 1;
    attempts.set(line, attempt);
    const decided = fate(pod, attempt);
    fates.set(uid, decided);
    return decided;
  };
  return controller({
    name: "job-nodes",
    for: pods,
    async reconcile({ namespace, name, cache, client }) {
      const pod = cache.get(pods, namespace, name);
      if (pod === undefined) return {};
      const { uid = "", deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
      const { exitCode = 0, runMs = 1000 } = fateOf(pod);
      const has = (phase: string) => pod.status.phase === phase;
      const write = (status: object) =>
        client.of(pods, namespace).updateStatus({ ...pod, status: { ...pod.status, ...status } });
      if (deletionTimestamp !== undefined) {
        const left = waits(`stop ${uid}`, stopMs);
        if (left > 0) return { requeueAfterMs: left };
        if (!has("Succeeded") && !has("Failed")) await write(ended(pod, 137, env.clock.now()));
        if (deletionGracePeriodSeconds !== 0) {
          await client.of(pods, namespace).delete(name, { gracePeriodSeconds: 0 });
        }
        return {};
      }
      if (has("Pending")) await write(running(env.clock.now()));
      else if (has("Running")) {
        const left = waits(`run ${uid}`, runMs);
        if (left === Infinity) return {};
        if (left > 0) return { requeueAfterMs: left };
        await write(ended(pod, exitCode, env.clock.now()));
      }
      return {};
    },
  });
}

type PodStatusInput = NonNullable<InputOf<typeof pods>["status"]>;

function running(now: number): PodStatusInput {
  const conditions = [{ type: "Ready", status: "True", lastTransitionTime: formatTime(now) }];
  return { phase: "Running", conditions };
}

/** The status of a Pod whose containers have terminated. */
export function ended({ spec }: Pod, exitCode: number, now: number): PodStatusInput {
  const time = formatTime(now);
  const container = (name: string): ContainerStatus => ({
    name,
    state: { terminated: { exitCode, startedAt: time, finishedAt: time } },
    lastState: {},
    ready: false,
    restartCount: 0,
    image: "",
    imageID: "",
  });
  return {
    phase: exitCode === 0 ? "Succeeded" : "Failed",
    conditions: [{ type: "Ready", status: "False", lastTransitionTime: time }],
    containerStatuses: spec.containers.map(({ name }) => container(name)),
  };
}
