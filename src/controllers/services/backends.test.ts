import { describe, expect, test } from "vitest";
import { services } from "../../api/core/service/schema.ts";
import { aPod, build } from "../builders.suite.ts";
import { portsOn } from "./backends.ts";

type Port = readonly [name: string, containerPort: number, protocol?: string];

const container = (ports: readonly Port[], index: number) => ({
  name: `c${index}`,
  image: "i",
  ports: ports.map(([name, containerPort, protocol = "TCP"]) => ({ name, containerPort, protocol })),
});
const port = (more: object) => ({ name: "main", port: 80, protocol: "TCP", ...more });
const resolve = (spec: object, ports: readonly object[]) =>
  portsOn(aPod("p", { spec }), build(services, { metadata: { name: "web" }, spec: { ports } }));

describe("the port of a Pod that a Service's port means", () => {
  const of = "ab".split("").map((name, i): Port => [name, 11 * (i + 1)]);
  test.each<
    [name: string, target: number | string, containers: readonly (readonly Port[])[], want: readonly number[]]
  >([
    ["a number, no ports", 93, [[]], [93]],
    ["a number, other ports", 93, [of], [93]],
    ["a name, no ports", "a", [[]], []],
    ["a name, one container", "b", [of], [22]],
    ["a name, the second container", "b", [[], of], [22]],
    ["two names for one port", "q", [[["p", 22]], [["q", 22]]], [22]],
    ["a name of another protocol", "a", [[["a", 11, "UDP"]]], []],
    ["a name in two containers", "a", [[["a", 81]], [["a", 82]]], [81]],
  ])("%s", (_, targetPort, containers, want) => {
    const found = resolve({ containers: containers.map(container) }, [port({ targetPort })]);
    expect(found.map((one) => one.port)).toEqual(want);
  });

  test.each<
    [name: string, restartPolicy: string | undefined, containers: readonly Port[], want: readonly number[]]
  >([
    ["a sidecar", "Always", [], [80]],
    ["an init container that ends", undefined, [], []],
    ["a sidecar and a container", "Always", [["a", 81]], [81]],
  ])("a name in %s", (_, restartPolicy, ports, want) => {
    const init = { ...container([["a", 80]], 1), restartPolicy };
    const spec = { initContainers: [init], containers: [container(ports, 0)] };
    expect(resolve(spec, [port({ targetPort: "a" })]).map((one) => one.port)).toEqual(want);
  });

  test("keeps its name, protocol and application protocol", () => {
    const spec = { containers: [container([["https", 443]], 0)] };
    const ports = [
      port({ name: "http", targetPort: 80, appProtocol: "example.com/custom" }),
      port({ name: "https", port: 443, targetPort: "https", appProtocol: "https" }),
      port({ name: "dns", port: 53, targetPort: 53, protocol: "UDP" }),
    ];
    expect(resolve(spec, ports)).toEqual([
      { name: "http", port: 80, protocol: "TCP", appProtocol: "example.com/custom" },
      { name: "https", port: 443, protocol: "TCP", appProtocol: "https" },
      { name: "dns", port: 53, protocol: "UDP", appProtocol: undefined },
    ]);
  });
});
