import { expect, test } from "vitest";
import { aNode, aPod, nodeWith } from "./builders.suite.ts";
import { hostPorts, NodeInfo, portTaken } from "./node-info.ts";
import { Resources } from "./resources.ts";

const withPorts = (name: string, spec: object) => aPod(name, {}, spec);
const container = (ports: readonly object[] | undefined, more: object = {}) => ({
  name: "c",
  image: "web:1",
  ports,
  ...more,
});

test("host ports are those of containers and sidecars, with defaults", () => {
  const pod = withPorts("p", {
    containers: [
      container([
        { containerPort: 80, hostPort: 8080 },
        { containerPort: 81, hostPort: 0 },
        { containerPort: 82 },
        { containerPort: 53, hostPort: 53, protocol: "UDP", hostIP: "10.0.0.1" },
      ]),
      container(undefined),
    ],
    initContainers: [
      container([{ containerPort: 1, hostPort: 1 }]),
      container([{ containerPort: 2, hostPort: 2 }], { restartPolicy: "Always" }),
    ],
  });
  expect(hostPorts(pod)).toEqual(["0.0.0.0/TCP/2", "0.0.0.0/TCP/8080", "10.0.0.1/UDP/53"]);
  expect(hostPorts(aPod("q"))).toEqual([]);
});

test.each([
  ["the same port", "10.0.0.1/TCP/80", true],
  ["the port of another address", "10.0.0.2/TCP/80", false],
  ["the port of every address", "0.0.0.0/TCP/80", true],
  ["another protocol", "0.0.0.0/UDP/80", false],
  ["a port that ends alike", "0.0.0.0/TCP/0", false],
  ["a port that another Pod holds for every address", "10.0.0.9/TCP/443", true],
])("beside 10.0.0.1/TCP/80 and 0.0.0.0/TCP/443, %s is taken: %s %s", (_, wanted, expected) => {
  const held = new Map([
    ["10.0.0.1/TCP/80", 1],
    ["0.0.0.0/TCP/443", 1],
  ]);
  expect(portTaken(held, wanted)).toBe(expected);
  expect(portTaken(new Map(), wanted)).toBe(false);
});

test("a port is held until the last Pod that holds it has left", () => {
  const port = { containers: [container([{ containerPort: 80, hostPort: 80 }])] };
  const node = nodeWith(aNode("n"), withPorts("a", port), withPorts("b", port));
  node.remove("uid-a");
  expect([...node.ports]).toEqual([["0.0.0.0/TCP/80", 1]]);
  node.remove("uid-b");
  expect([...node.ports]).toEqual([]);
});

test("a Pod that is added again counts once, as it is now; one that is not there can be removed", () => {
  const node = nodeWith(aNode("n"), aPod("a", { cpu: "1" }), aPod("a", { cpu: "2" }));
  node.remove("uid-unknown");
  expect(node.pods.size).toBe(1);
  expect(node.requested.milliCpu).toBe(2000);
});

test("a changed node has its new room and images; its Pods stay", () => {
  const info = new NodeInfo(aNode("n"));
  info.add(aPod("a", { cpu: "1" }));
  const larger = aNode("n", {}, { allocatable: { cpu: "8" }, labels: { zone: "z" } });
  const images = [{ names: ["web:1", "web@sha256:1"], sizeBytes: 7 }, { names: ["other:1"] }];
  info.update({ ...larger, status: { ...larger.status, images } });
  expect(info.allocatable.milliCpu).toBe(8000);
  expect(info.labels).toEqual({ zone: "z" });
  expect([...info.imageSizes]).toEqual([
    ["web:1", 7],
    ["web@sha256:1", 7],
    ["other:1", 0],
  ]);
  expect(info.requested.milliCpu).toBe(1000);
});

test("a copy changes without changing the node", () => {
  const node = nodeWith(aNode("n"), aPod("a", { cpu: "1" }));
  const copy = node.clone();
  copy.add(aPod("b", { cpu: "2" }));
  copy.remove("uid-a");
  expect(copy.requested.milliCpu).toBe(2000);
  expect(node.requested.milliCpu).toBe(1000);
});

const amounts = { cpu: "1", memory: "2", "ephemeral-storage": "3", pods: "4", "acme.com/gpu": "5" };
const shown = (resources: Resources) => Object.keys(amounts).map((name) => resources.get(name));

test("amounts of each resource are read, added, subtracted and raised by name", () => {
  const resources = Resources.of(amounts);
  expect(shown(resources)).toEqual([1000, 2, 3, 4, 5]);
  expect(resources.scalars).toEqual(new Map([["acme.com/gpu", 5]]));
  resources.add(Resources.of(amounts));
  expect(shown(resources)).toEqual([2000, 4, 6, 8, 10]);
  resources.add(Resources.of(amounts), -1);
  resources.raiseTo(
    Resources.of({ cpu: "500m", memory: "3", "ephemeral-storage": "4", "acme.com/gpu": "6" }),
  );
  expect(shown(resources)).toEqual([1000, 3, 4, 4, 6]);
  resources.raiseTo(Resources.of({ cpu: "2", "acme.com/gpu": "1", "acme.com/other": "1" }));
  expect(shown(resources)).toEqual([2000, 3, 4, 4, 6]);
  expect(resources.get("acme.com/other")).toBe(1);
  expect(resources.get("acme.com/unknown")).toBe(0);
});

test("a resource whose last amount is gone is forgotten", () => {
  const resources = Resources.of({ "acme.com/gpu": "2" });
  resources.add(Resources.of({ "acme.com/gpu": "2" }), -1);
  expect(resources.scalars.size).toBe(0);
});

test("a label that the node does not have is none, whatever its key", () => {
  const info = new NodeInfo(aNode("n", {}, { labels: { zone: "a" } }));
  expect(["zone", "constructor", "__proto__", "toString"].map((key) => info.label(key))).toEqual([
    "a",
    undefined,
    undefined,
    undefined,
  ]);
});
