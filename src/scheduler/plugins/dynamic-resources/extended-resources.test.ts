import { expect, test } from "vitest";
import { deviceClasses } from "../../../api/resource/device-class/schema.ts";
import { aPod, build } from "../../builders.suite.ts";
import { classesByResource, extendedClaim } from "./extended-resources.ts";

type Requests = Readonly<Record<string, number>>;

/** A class with the resource that names it. */
const aClass = (name: string, extendedResourceName?: string, creationTimestamp = "2026-01-01T00:00:00Z") =>
  build(deviceClasses, {
    metadata: { name, creationTimestamp },
    spec: extendedResourceName === undefined ? {} : { extendedResourceName },
  });

const [res, res1, init, implicit] = [
  "e/r",
  "e/r1",
  "e/rinit",
  "deviceclass.resource.kubernetes.io/classInit",
];
const known = classesByResource([aClass("class", res), aClass("class1", res1), aClass("classInit", init)]);

const container = (name: string, requests: Requests, more: object = {}) => ({
  name,
  image: "i",
  resources: {
    requests: Object.fromEntries(Object.entries(requests).map(([key, count]) => [key, `${count}`])),
  },
  ...more,
});
const sidecar = { restartPolicy: "Always" };
const podWith = (initContainers: readonly object[], ...containers: readonly object[]) =>
  aPod("p", {}, { initContainers, containers });

/** The cases of upstream's `Test_createRequestsAndMappings_requests` and `…_mappings`, by value. */
test.each([
  [
    "two resources of one container",
    podWith([], container("con0", { [res]: 1, [res1]: 2 })),
    [res, res1],
    ["container-0-request-0 class 1", "container-0-request-1 class1 2"],
    [`con0 ${res} container-0-request-0`, `con0 ${res1} container-0-request-1`],
  ],
  [
    "one of two resources",
    podWith([], container("con0", { [res]: 1, [res1]: 2 })),
    [res],
    ["container-0-request-0 class 1"],
    [`con0 ${res} container-0-request-0`],
  ],
  [
    "two containers",
    podWith([], container("con0", { [res]: 1 }), container("con1", { [res1]: 2 })),
    [res, res1],
    ["container-0-request-0 class 1", "container-1-request-0 class1 2"],
    [`con0 ${res} container-0-request-0`, `con1 ${res1} container-1-request-0`],
  ],
  [
    "an init container and another",
    podWith([container("init-con0", { [init]: 2 })], container("con0", { [res]: 1 })),
    [res, init],
    ["container-0-request-0 classInit 2", "container-1-request-0 class 1"],
    [`init-con0 ${init} container-0-request-0`, `con0 ${res} container-1-request-0`],
  ],
  [
    "two init containers, which share their devices",
    podWith(
      [container("init-con0", { [init]: 1 }), container("init-con1", { [init]: 2 })],
      container("con0", { [res]: 1 }),
    ),
    [res, init],
    ["container-1-request-0 classInit 2", "container-2-request-0 class 1"],
    [
      `init-con0 ${init} container-1-request-0`,
      `init-con1 ${init} container-1-request-0`,
      `con0 ${res} container-2-request-0`,
    ],
  ],
  [
    "a resource by both of its names",
    podWith(
      [container("init-con0", { [init]: 1 }), container("init-con1", { [implicit]: 2 })],
      container("con0", { [res]: 1 }),
    ),
    [res, init, implicit],
    [
      "container-0-request-0 classInit 1",
      "container-1-request-0 classInit 2",
      "container-2-request-0 class 1",
    ],
    [
      `init-con0 ${init} container-0-request-0`,
      `init-con1 ${implicit} container-1-request-0`,
      `con0 ${res} container-2-request-0`,
    ],
  ],
  [
    "an init container, which uses the device of the sidecar after it",
    podWith(
      [
        container("init-con0", { [init]: 1 }),
        container("sidecar-con1", { [init]: 1 }, sidecar),
        container("init-con2", { [init]: 2 }),
      ],
      container("con0", { [res]: 1 }),
    ),
    [res, init],
    [
      "container-1-request-0 classInit 1",
      "container-2-request-0 classInit 2",
      "container-3-request-0 class 1",
    ],
    [
      `init-con0 ${init} container-1-request-0`,
      `sidecar-con1 ${init} container-1-request-0`,
      `init-con2 ${init} container-2-request-0`,
      `con0 ${res} container-3-request-0`,
    ],
  ],
])("the claim for %s", (_, pod, resources, requests, mappings) => {
  const classes = new Map([...known].filter(([name]) => resources.includes(name)));
  const { claim, mappings: found } = extendedClaim(pod, classes);
  expect(
    claim.spec.devices.requests.map(
      ({ name, exactly }) => `${name} ${exactly?.deviceClassName} ${exactly?.count}`,
    ),
  ).toEqual(requests);
  const texts = found.map((one) => `${one.containerName} ${one.resourceName} ${one.requestName}`);
  expect(new Set(texts)).toEqual(new Set(mappings));
  expect(texts).toHaveLength(mappings.length);
});

test.each([
  ["the newest", [aClass("a", res), aClass("b", res, "2026-01-02T00:00:00Z")], "b"],
  ["the first by name of equally old ones", [aClass("b", res), aClass("a", res)], "a"],
])("of several classes for one resource, %s counts", (_, classes, name) => {
  expect(classesByResource(classes).get(res)?.metadata.name).toBe(name);
  expect(classesByResource(classes.toReversed()).get(res)?.metadata.name).toBe(name);
});
