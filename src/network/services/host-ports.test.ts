import { expect, test } from "vitest";
import type { Pod } from "../../api/core/pod/schema.ts";
import { aPod } from "../builders.suite.ts";
import { planHostPorts as planAll } from "./host-ports.ts";

const planHostPorts = (pods: readonly Pod[]) => planAll(pods).ports;

const web = { containerPort: 8080, hostPort: 80 };

test("a host port leads to the container's port and keeps the client's address", () => {
  const endpoints = [{ address: "10.244.0.2", port: 8080 }];
  expect(planHostPorts([aPod("web", [web, { containerPort: 9090 }])])).toEqual([
    {
      name: "default/web:80",
      address: undefined,
      port: 80,
      protocol: "TCP",
      endpoints: [],
      affinityMs: 0,
      external: { nodePort: 80, addresses: [], endpoints, localEndpoints: endpoints },
    },
  ]);
});

test("a host IP restricts the port to one address", () => {
  const [port] = planHostPorts([aPod("web", [{ ...web, hostIP: "127.0.0.1", protocol: "UDP" }])]);
  expect(port?.protocol).toBe("UDP");
  expect(port?.external).toMatchObject({ addresses: [{ address: "127.0.0.1" }] });
  expect(port?.external?.nodePort).toBeUndefined();
});

test.each([
  ["on the host's network", { spec: { hostNetwork: true } }],
  ["without an address", { status: { podIP: undefined } }],
  ["that has finished", { status: { phase: "Succeeded" } }],
  ["that has failed", { status: { phase: "Failed" } }],
])("a Pod %s has no host ports", (_, more) => {
  expect(planHostPorts([aPod("web", [web], more)])).toEqual([]);
});

test("an address of another family has no host ports", () => {
  expect(planHostPorts([aPod("web", [{ ...web, hostIP: "::1" }])])).toEqual([]);
});

test("a restartable init container has host ports, another one not", () => {
  const init = { image: "i", ports: [web] };
  const sidecar = { ...init, name: "sidecar", restartPolicy: "Always" };
  expect(planHostPorts([aPod("web", [], { spec: { initContainers: [sidecar] } })])).toHaveLength(1);
  expect(planHostPorts([aPod("web", [], { spec: { initContainers: [{ ...init, name: "i" }] } })])).toEqual(
    [],
  );
});

test("of two Pods with one host port the older has it, and another address is another port", () => {
  const later = aPod("b", [web, { ...web, hostIP: "127.0.0.1" }], { status: { podIP: "10.244.0.3" } });
  const { ports, conflicts } = planAll([later, aPod("a", [web])]);
  expect(conflicts).toEqual([
    expect.objectContaining({ pod: later, served: expect.objectContaining({ name: "default/a:80" }) }),
  ]);
  expect(ports.map(({ name }) => name)).toEqual(["default/a:80", "default/b:80"]);
});
