import { expect, test } from "vitest";
import { aPod } from "../builders.suite.ts";
import { requestsOf } from "./requests.ts";

const container = (name: string, cpu?: string, more: object = {}) => ({
  name,
  image: "web:1",
  resources: cpu === undefined ? {} : { requests: { cpu } },
  ...more,
});
const two = [container("one", "100m"), container("two", "50m")];
const wholePod = { resources: { requests: { cpu: "800m" } } };

/** Cases by value from upstream's `TestCalculateRequests`. */
test.each<[string, object, string | undefined, number]>([
  ["sum over the containers", { containers: two }, undefined, 150],
  ["are those of the Pod, if it has some", { containers: two, ...wholePod }, undefined, 800],
  [
    "are those of the Pod, when a container has none",
    { containers: [container("one"), container("two", "50m")], ...wholePod },
    undefined,
    800,
  ],
  ["are those of one container", { containers: two }, "one", 100],
  ["are those of one container, not of the Pod", { containers: two, ...wholePod }, "one", 100],
  [
    "include sidecars",
    {
      containers: [container("one", "100m")],
      initContainers: [container("init", "20m"), container("side", "50m", { restartPolicy: "Always" })],
    },
    undefined,
    150,
  ],
  [
    "include the overhead of a Pod with requests of its own",
    { containers: two, ...wholePod, overhead: { cpu: "5m" } },
    undefined,
    805,
  ],
  [
    "fall back to the containers for a resource that the Pod does not name",
    { containers: two, resources: { requests: { memory: "1Gi" } } },
    undefined,
    150,
  ],
])("requests %s", (_, spec, name, expected) => {
  expect(requestsOf([aPod("a", { spec })], "cpu", name)).toEqual(new Map([["a", expected]]));
});

test.each<[object, string | undefined, string]>([
  [
    { containers: [container("one"), ...two.slice(1)] },
    undefined,
    "missing request for cpu in container one of Pod a",
  ],
  [{ containers: two }, "three", "container three not found in Pod a"],
  [
    { containers: [container("one")], resources: { requests: { memory: "1Gi" } } },
    undefined,
    "missing pod-level request for cpu in Pod a",
  ],
])("requests of %j (%s) fail", (spec, name, message) => {
  expect(() => requestsOf([aPod("a", { spec })], "cpu", name)).toThrow(message);
});
