import { expect, test } from "vitest";
import { persistentVolumeClaims } from "../../api/core/persistent-volume-claim/schema.ts";
import { formatTime } from "../../util/clock.ts";
import { aPod, build, start } from "../builders.suite.ts";
import { mayRelease, stepFor, uses } from "./plan.ts";

const protection = "kubernetes.io/pvc-protection";
const deletionTimestamp = formatTime(start);

const claim = (name: string, metadata: object = {}) =>
  build(persistentVolumeClaims, { metadata: { name, namespace: "default", ...metadata } });

const owned = (uid: string) =>
  claim("web-data", {
    ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "web", uid, controller: true }],
  });

const pod = (volume: object, spec: object = { nodeName: "n" }, metadata: object = {}) =>
  aPod("web", { metadata, spec: { ...spec, volumes: [{ name: "data", ...volume }] } });

const own = { ephemeral: { volumeClaimTemplate: { spec: {} } } };
const named = { persistentVolumeClaim: { claimName: "data" } };
const shutDown = { deletionTimestamp, deletionGracePeriodSeconds: 0 };

test.each([
  ["a new claim", {}, "protect"],
  ["a protected claim", { finalizers: [protection] }, "nothing"],
  ["a deleted claim", { deletionTimestamp, finalizers: [protection] }, "release"],
  ["a deleted claim that waits for something else", { deletionTimestamp, finalizers: ["x/y"] }, "nothing"],
])("the step for %s", (_, metadata, step) => {
  expect(stepFor(claim("data", metadata))).toBe(step);
});

test.each([
  ["a scheduled Pod", pod(named), claim("data"), true],
  [
    "a Pod that ended but exists",
    aPod("web", { ...pod(named), status: { phase: "Succeeded" } }),
    claim("data"),
    true,
  ],
  ["a Pod without a node", pod(named, {}), claim("data"), false],
  ["a Pod with another claim", pod(named), claim("other"), false],
  ["a Pod that is shut down", pod(named, undefined, shutDown), claim("data"), true],
  ["the Pod of an ephemeral volume", pod(own), owned("uid-web"), true],
  ["another Pod of an ephemeral volume's name", pod(own), owned("uid-old"), false],
  ["the Pod of an ephemeral volume, shut down", pod(own, undefined, shutDown), owned("uid-web"), false],
])("%s uses its claim", (_, user, used, expected) => {
  expect(uses(user, used)).toBe(expected);
});

test("only Pods that are deleted, terminated or without a node may release their claims", () => {
  const running = pod(named);
  const ended = aPod("web", { spec: { nodeName: "n" }, status: { phase: "Failed" } });
  expect(mayRelease({ type: "deleted", object: running })).toBe(true);
  expect(mayRelease({ type: "updated", object: running, old: running })).toBe(false);
  expect(mayRelease({ type: "updated", object: ended, old: running })).toBe(true);
  expect(mayRelease({ type: "added", object: pod(named, {}), initial: false })).toBe(true);
});
