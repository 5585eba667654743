import { expect, test } from "vitest";
import { type Job, jobs } from "../../api/batch/job/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { formatTime } from "../../util/clock.ts";
import { aPod, build, start, template } from "../builders.suite.ts";
import { type Backoff, nextBackoff, noFailures, remainingMs } from "./backoff.ts";
import { jobPod } from "./pod-template.ts";
import { completionIndex, finishedAt, indexAnnotation, trackingFinalizer } from "./pods.ts";
import { podsToRemove } from "./removal.ts";

const seconds = (count: number) => formatTime(start + count * 1000);
const ended = (name: string, at: number | undefined) => ({
  name,
  state: at === undefined ? { running: {} } : { terminated: { exitCode: 0, finishedAt: seconds(at) } },
});
const ready = (status: string, at: number) => ({ type: "Ready", status, lastTransitionTime: seconds(at) });
const sidecars = { initContainers: [{ name: "side", image: "side:1", restartPolicy: "Always" }] };

/** After upstream's `TestGetFinishedTime`. Each Pod was created after 1 s. */
test.each<[string, { readonly spec?: object; readonly status?: object; readonly metadata?: object }, number]>(
  [
    ["its last container", { status: { containerStatuses: [ended("a", 7), ended("b", 9)] } }, 9],
    [
      "its last container, which is a sidecar",
      {
        spec: sidecars,
        status: { containerStatuses: [ended("a", 7)], initContainerStatuses: [ended("side", 8)] },
      },
      8,
    ],
    [
      "its last container; an init container that is no sidecar does not matter",
      { status: { containerStatuses: [ended("a", 7)], initContainerStatuses: [ended("init", 8)] } },
      7,
    ],
    [
      "the time it stopped to be ready, while a container has not ended",
      {
        status: {
          containerStatuses: [ended("a", 7), ended("b", undefined)],
          conditions: [ready("False", 4)],
        },
      },
      4,
    ],
    [
      "the time it stopped to be ready, while a sidecar has not ended",
      {
        spec: sidecars,
        status: {
          containerStatuses: [ended("a", 7)],
          initContainerStatuses: [ended("side", undefined)],
          conditions: [ready("False", 4)],
        },
      },
      4,
    ],
    [
      "its deletion without the grace period, while it is ready",
      {
        status: { conditions: [ready("True", 4)] },
        metadata: { deletionTimestamp: seconds(60), deletionGracePeriodSeconds: 30 },
      },
      30,
    ],
    ["its deletion", { metadata: { deletionTimestamp: seconds(60) } }, 60],
    ["its creation, without any other fact", {}, 1],
  ],
)("a Pod has finished at %s", (_, { metadata = {}, ...parts }, expected) => {
  const pod = aPod("p", { ...parts, metadata: { creationTimestamp: seconds(1), ...metadata } });
  expect(finishedAt(pod)).toBe(start + expected * 1000);
});

/** After upstream's `TestNewBackoffRecord`: the seconds at which Pods succeeded and failed. */
test.each<[string, Backoff, readonly number[], readonly number[], Backoff]>([
  ["nothing new", { failures: 2, lastFailure: 7 }, [], [], { failures: 2, lastFailure: 7 }],
  ["failures add up", { failures: 2 }, [], [3, 5, 4], { failures: 5, lastFailure: start + 5000 }],
  ["a success forgets earlier failures", { failures: 2 }, [6], [], noFailures],
  ["a success forgets failures before and at its time", { failures: 2 }, [6], [5, 6], noFailures],
  [
    "only failures after the last success count",
    { failures: 2 },
    [2, 4],
    [3, 7, 5],
    { failures: 2, lastFailure: start + 7000 },
  ],
])("back-off: %s", (_, old, succeeded, failed, expected) => {
  const podsAt = (times: readonly number[]) =>
    times.map((time, i) => aPod(`p${i}`, { status: { containerStatuses: [ended("a", time)] } }));
  expect(nextBackoff(old, podsAt(succeeded), podsAt(failed))).toEqual(expected);
});

test("without failures, nothing waits", () => {
  expect(remainingMs(noFailures, -20_000)).toBe(0);
});

test.each<[string | undefined, number | undefined]>([
  ["0", 0],
  ["12", 12],
  ["+3", 3],
  ["-1", undefined],
  ["1x", undefined],
  ["x1", undefined],
  ["", undefined],
  [undefined, undefined],
])("the annotation %j is the completion index %j", (text, index) => {
  const annotations = text === undefined ? {} : { [indexAnnotation]: text };
  expect(completionIndex(aPod("p", { metadata: { annotations } }))).toBe(index);
});

const aJob = (spec: object = {}): Job =>
  build(jobs, {
    metadata: { name: "work", namespace: "default", uid: "uid-work" },
    spec: { parallelism: 2, completions: 5, template, ...spec },
  });
const indexed = { completionMode: "Indexed" };

test("a Pod of a Job is the template with the tracking finalizer, once", () => {
  const { metadata, spec } = jobPod(aJob(), {});
  expect(metadata).toMatchObject({
    generateName: "work-",
    labels: { app: "web" },
    finalizers: [trackingFinalizer],
  });
  expect(metadata?.annotations).toBeUndefined();
  expect(spec).toEqual(aJob().spec.template.spec);
  const finalizers = ["example.com/mine", trackingFinalizer];
  const own = aJob({ template: { ...template, metadata: { finalizers } } });
  expect(jobPod(own, {}).metadata?.finalizers).toEqual(finalizers);
  const other = aJob({ template: { ...template, metadata: { finalizers: ["example.com/mine"] } } });
  expect(jobPod(other, {}).metadata?.finalizers).toEqual(finalizers);
});

test("a Pod of an index has the index in its name, labels, annotations, hostname and environment", () => {
  const mine = [{ name: "JOB_COMPLETION_INDEX", value: "mine" }];
  const containers = [
    { name: "web", image: "web:1", env: [{ name: "A", value: "1" }] },
    { name: "other", image: "web:1", env: mine },
  ];
  const initContainers = [{ name: "init", image: "web:1" }];
  const annotations = { note: "x" };
  const job = aJob({
    ...indexed,
    template: { metadata: { ...template.metadata, annotations }, spec: { containers, initContainers } },
  });
  const pod = jobPod(job, { index: 3 });
  const index = { [indexAnnotation]: "3" };
  expect(pod.metadata).toMatchObject({
    generateName: "work-3-",
    labels: { app: "web", ...index },
    annotations: { note: "x", ...index },
    finalizers: [trackingFinalizer],
  });
  expect(pod.spec?.hostname).toBe("work-3");
  const fieldRef = { apiVersion: "v1", fieldPath: `metadata.labels['${indexAnnotation}']` };
  const variable = { name: "JOB_COMPLETION_INDEX", valueFrom: { fieldRef } };
  expect(pod.spec?.containers.map(({ env }) => env)).toEqual([[{ name: "A", value: "1" }, variable], mine]);
  expect(pod.spec?.initContainers?.map(({ env }) => env)).toEqual([[variable]]);
});

test("a Pod of an index notes the failures before it; ignored ones only if there are any", () => {
  const annotationsWith = (ignored: number) =>
    jobPod(aJob(indexed), { index: 0, failures: { counted: 2, ignored } }).metadata?.annotations;
  const counted = { [indexAnnotation]: "0", "batch.kubernetes.io/job-index-failure-count": "2" };
  expect(annotationsWith(0)).toEqual(counted);
  expect(annotationsWith(1)).toEqual({
    ...counted,
    "batch.kubernetes.io/job-index-ignored-failure-count": "1",
  });
});

const since = (at: number) => ({ phase: "Running", conditions: [ready("True", at)] });
const restarted = (restartCount: number) => ({
  ...since(5),
  containerStatuses: [{ name: "web", restartCount }],
});
const sideRestarted = (restartCount: number) => ({
  ...since(5),
  initContainerStatuses: [{ name: "side", restartCount }],
});
const named = (name: string, parts: { spec?: object; status?: object; metadata?: object }): Pod =>
  aPod(name, { ...parts, spec: { nodeName: "n", ...parts.spec } });

/** The rules of upstream's `ActivePods` in their order, each with Pods that no earlier rule tells apart. */
test.each<[string, Pod, Pod]>([
  ["without a node", named("first", { spec: { nodeName: "" }, status: since(5) }), named("b", {})],
  [
    "that is pending",
    named("first", { status: { phase: "Pending" } }),
    named("b", { status: { phase: "Running" } }),
  ],
  ["that is not ready", named("first", { status: { phase: "Running" } }), named("b", { status: since(5) })],
  [
    "that is ready for a shorter time",
    named("first", { status: since(6) }),
    named("b", { status: since(5) }),
  ],
  [
    "that is ready since an unknown time",
    named("first", { status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } }),
    named("b", { status: since(5) }),
  ],
  [
    "whose containers restarted more often",
    named("first", { status: restarted(2) }),
    named("b", { status: restarted(1) }),
  ],
  [
    "whose sidecars restarted more often",
    named("first", { spec: sidecars, status: sideRestarted(2) }),
    named("b", { spec: sidecars, status: sideRestarted(1) }),
  ],
  [
    "that is younger",
    named("first", { metadata: { creationTimestamp: seconds(9) }, status: since(5) }),
    named("b", { metadata: { creationTimestamp: seconds(8) }, status: since(5) }),
  ],
  [
    "whose age is not known",
    named("first", { status: since(5) }),
    named("b", { metadata: { creationTimestamp: seconds(8) }, status: since(5) }),
  ],
])("the Pod %s is deleted first", (_, first, second) => {
  const nameOf = (pods: readonly Pod[]) => podsToRemove(aJob(), pods, 1).map(({ metadata }) => metadata.name);
  expect(nameOf([first, second])).toEqual(["first"]);
  expect(nameOf([second, first])).toEqual(["first"]);
});

test("Pods with superfluous indexes are deleted beside those that are too many", () => {
  const at = (name: string, index: number) =>
    named(name, { metadata: { annotations: { [indexAnnotation]: `${index}` } }, status: since(5) });
  const pods = [at("a", 0), at("b", 7), at("c", 1), at("d", 2)];
  const removed = (count: number) =>
    podsToRemove(aJob(indexed), pods, count).map(({ metadata }) => metadata.name);
  expect(removed(0)).toEqual(["b"]);
  expect(removed(2)).toEqual(["b", "a"]);
});
