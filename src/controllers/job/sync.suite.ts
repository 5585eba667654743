import { type Job, jobs } from "../../api/batch/job/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { formatTime } from "../../util/clock.ts";
import { aPod, build, start, template } from "../builders.suite.ts";
import { assess } from "./assessment.ts";
import { noFailures } from "./backoff.ts";
import { countAfter, planPods } from "./plan.ts";
import { trackingFinalizer } from "./pods.ts";
import { planEnd, planTracking } from "./tracking.ts";

export const minute = 60_000;
/** Long after all failures: nothing backs off. */
export const now = start + 100 * minute;

export const onFailure = { ...template, spec: { ...template.spec, restartPolicy: "OnFailure" } };
/** A Job that started at `start`. */
export const aJob = (spec: object = {}, status: object = {}, metadata: object = {}): Job =>
  build(jobs, {
    metadata: { name: "work", namespace: "default", uid: "uid-work", ...metadata },
    spec: { parallelism: 1, completions: 1, backoffLimit: 6, template, ...spec },
    status: { startTime: formatTime(start), ...status },
  });

interface Shape {
  readonly index?: number;
  readonly isTracked?: boolean;
  readonly isDeleted?: boolean;
  readonly failures?: number;
  readonly ignored?: number;
  readonly exitCode?: number;
  readonly finishedAt?: number;
  readonly status?: object;
}

/** A Pod by its name and phase, such as `a:Running`. */
export function pod(text: string, shape: Shape = {}): Pod {
  const { index, isTracked = true, isDeleted = false, failures, ignored, exitCode = 1, status = {} } = shape;
  const [name = "", phase = ""] = text.split(":");
  const prefix = "batch.kubernetes.io/job";
  const terminated = { exitCode, finishedAt: formatTime(shape.finishedAt ?? start) };
  return aPod(name, {
    metadata: {
      uid: name,
      creationTimestamp: formatTime(start),
      finalizers: isTracked ? [trackingFinalizer] : [],
      annotations: {
        ...(index === undefined ? {} : { [`${prefix}-completion-index`]: `${index}` }),
        ...(failures === undefined ? {} : { [`${prefix}-index-failure-count`]: `${failures}` }),
        ...(ignored === undefined ? {} : { [`${prefix}-index-ignored-failure-count`]: `${ignored}` }),
      },
      ...(isDeleted ? { deletionTimestamp: formatTime(start) } : {}),
    },
    status: {
      phase,
      ...(phase === "Failed" ? { containerStatuses: [{ name: "web", state: { terminated } }] } : {}),
      ...status,
    },
  });
}

export interface Synced {
  /** The action on Pods. */
  readonly pods: string;
  readonly release: string;
  /** The status that is written before finalizers are removed, and the one afterwards. */
  readonly first: string;
  readonly last: string;
  readonly events: string;
}

/** One reconciliation in which every write succeeds; all results as text. */
export function sync(job: Job, pods: readonly Pod[], time = now, backoff = noFailures): Synced {
  const assessment = assess({ job, pods, backoff, now: time });
  const action = planPods(assessment);
  const created = action.type === "create" ? action.pods.length : 0;
  const deleted = action.type === "delete" || action.type === "end" ? action.pods : [];
  const tracking = planTracking(assessment, countAfter(assessment, created, deleted));
  const released = new Set(tracking.release.map(({ metadata }) => metadata.uid));
  const left = [...tracking.tracked].filter((uid) => !released.has(uid));
  const end = planEnd(assessment, tracking, tracking.status, new Set(left));
  return {
    pods: textOfAction(action),
    release: names(tracking.release),
    first: textOfStatus(tracking.status),
    last: textOfStatus(end.status),
    events: [...tracking.events, ...end.events].map(({ type, reason }) => `${type} ${reason}`).join(", "),
  };
}

const names = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.name).join(" ");

function textOfAction(action: ReturnType<typeof planPods>): string {
  switch (action.type) {
    case "none":
      return "none";
    case "wait":
      return `wait ${action.ms}`;
    case "create":
      return `create ${action.pods.map(({ index = "-", failures }) => `${index}${textOfFailures(failures)}`).join(" ")}`;
    case "delete":
    case "end":
      return `${action.type} ${names(action.pods)}`.trim();
  }
}

const textOfFailures = (failures: { readonly counted: number; readonly ignored: number } | undefined) =>
  failures === undefined ? "" : `(${failures.counted}/${failures.ignored})`;

function textOfStatus(status: Job["status"]): string {
  const { uncountedTerminatedPods: uncounted = {}, conditions = [], startTime, completionTime } = status;
  const parts: readonly (readonly [string, string | number | undefined])[] = [
    ["active", status.active],
    ["ready", status.ready || undefined],
    ["terminating", status.terminating || undefined],
    ["succeeded", status.succeeded],
    ["failed", status.failed],
    ["completed", status.completedIndexes],
    ["failedIndexes", status.failedIndexes],
    ["uncounted", uncounted.succeeded?.join(",")],
    ["uncountedFailed", uncounted.failed?.join(",")],
    ["start", startTime === formatTime(start) ? undefined : (startTime ?? "none")],
    ["end", completionTime],
    ...conditions.map(({ type, status: is, reason }) => [type, `${is}(${reason})`] as const),
  ];
  return parts
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${value ?? ""}`)
    .join(" ");
}
