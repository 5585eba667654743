import { expect, test } from "vitest";
import { endpoints } from "../../api/core/endpoints/schema.ts";
import { services } from "../../api/core/service/schema.ts";
import { aPod, build } from "../builders.suite.ts";
import { maxAddresses, planEndpoints, truncate } from "./plan.ts";

const aService = (spec: object = {}) =>
  build(services, {
    metadata: { name: "web", namespace: "default", labels: { team: "x" } },
    spec: {
      clusterIP: "10.96.0.1",
      selector: { app: "web" },
      ports: [
        { name: "http", port: 80, targetPort: "http" },
        { name: "raw", port: 9 },
      ],
      ...spec,
    },
  });
const backend = (i: number, { ready = true, port = "http" } = {}) =>
  aPod(`p${i}`, {
    spec: {
      nodeName: "n1",
      containers: [{ name: "c", image: "i", ports: [{ name: port, containerPort: 8080 }] }],
    },
    status: {
      phase: "Running",
      podIPs: [{ ip: `10.0.${i >> 8}.${i & 255}` }],
      conditions: ready ? [{ type: "Ready", status: "True" }] : [],
    },
  });
const ips = (list: readonly { readonly ip: string }[] = []) => list.map(({ ip }) => ip);

test("Endpoints group addresses by the ports they have, separating ready from not ready ones", () => {
  const after = planEndpoints(
    aService(),
    [backend(2), backend(1), backend(3, { ready: false }), backend(4, { port: "other" })],
    undefined,
  );
  expect(after?.metadata).toEqual({
    name: "web",
    namespace: "default",
    labels: { team: "x", "endpoints.kubernetes.io/managed-by": "endpoint-controller" },
  });
  const shape = (after?.subsets ?? []).map(({ addresses, notReadyAddresses, ports = [] }) => [
    ips(addresses),
    ips(notReadyAddresses),
    ports.map(({ name, port }) => `${name} ${port}`),
  ]);
  expect(shape).toEqual([
    [["10.0.0.1", "10.0.0.2", "10.0.0.4"], ["10.0.0.3"], ["raw 9"]],
    [["10.0.0.1", "10.0.0.2"], ["10.0.0.3"], ["http 8080"]],
  ]);
  expect(after?.subsets?.[0]?.addresses?.[0]).toEqual({
    ip: "10.0.0.1",
    nodeName: "n1",
    targetRef: { kind: "Pod", namespace: "default", name: "p1", uid: "uid-p1" },
  });
});

test("unchanged Endpoints are not written, whatever the order of the Pods", () => {
  const all = [backend(1), backend(2), backend(3, { ready: false })];
  const stored = build(endpoints, planEndpoints(aService(), all, undefined) ?? {});
  expect(planEndpoints(aService(), all.toReversed(), stored)).toBeUndefined();
  expect(planEndpoints(aService(), all.slice(1), stored)?.subsets?.[0]?.addresses?.length).toBe(1);
});

test("a headless Service may have no ports, and with publishNotReadyAddresses all addresses are ready", () => {
  const after = planEndpoints(
    aService({ clusterIP: "None", ports: [], publishNotReadyAddresses: true }),
    [backend(1, { ready: false })],
    undefined,
  );
  expect(after?.subsets).toEqual([{ addresses: [expect.objectContaining({ ip: "10.0.0.1" })] }]);
  expect(after?.metadata.labels?.["service.kubernetes.io/headless"]).toBe("");
});

test("beyond a thousand addresses Endpoints are truncated, not ready ones first, and annotated", () => {
  const service = aService({ ports: [{ port: 80 }] });
  const all = Array.from({ length: maxAddresses + 20 }, (_, i) => backend(i, { ready: i >= 50 }));
  const after = planEndpoints(service, all, undefined);
  expect([after?.subsets?.[0]?.addresses?.length, after?.subsets?.[0]?.notReadyAddresses?.length]).toEqual([
    970, 30,
  ]);
  expect(after?.metadata.annotations).toEqual({ "endpoints.kubernetes.io/over-capacity": "truncated" });
  const fewer = planEndpoints(service, all.slice(0, 10), build(endpoints, after ?? {}));
  expect(fewer?.metadata.annotations).toBeUndefined();
});

test.each<[readonly number[], readonly number[], ready: readonly number[], notReady: readonly number[]]>([
  [[], [], [], []],
  [
    [50, 100, 100, 100, 100],
    [50, 100, 100, 100, 100],
    [50, 100, 100, 100, 100],
    [50, 100, 100, 100, 100],
  ],
  [
    [100, 100, 100, 100, 100],
    [100, 100, 100, 100, 100],
    [100, 100, 100, 100, 100],
    [100, 100, 100, 100, 100],
  ],
  [
    [90, 110, 50, 10, 20],
    [101, 200, 200, 201, 298],
    [90, 110, 50, 10, 20],
    [73, 144, 144, 145, 214],
  ],
  [
    [205, 400, 402, 400, 693],
    [100, 200, 200, 200, 300],
    [98, 191, 192, 191, 328],
    [0, 0, 0, 0, 0],
  ],
])("of %j ready addresses and %j others, subsets keep %j and %j", (ready, notReady, ...want) => {
  const list = (length = 0) => Array.from({ length }, () => ({ ip: "10.0.0.1" }));
  const kept = truncate(
    ready.map((count, i) => ({ addresses: list(count), notReadyAddresses: list(notReady[i]) })),
  );
  expect([
    kept.map(({ addresses = [] }) => addresses.length),
    kept.map(({ notReadyAddresses = [] }) => notReadyAddresses.length),
  ]).toEqual(want);
});

test.each<
  [
    before: string | undefined,
    ready: number,
    notReady: number,
    want: readonly [number, number],
    after: "truncated" | undefined,
  ]
>([
  [undefined, 0, 0, [0, 0], undefined],
  [undefined, 997, 4, [997, 3], "truncated"],
  [undefined, 1000, 10, [1000, 0], "truncated"],
  ["truncated", 999, 0, [999, 0], undefined],
  ["warning", 1000, 0, [1000, 0], undefined],
  ["warning", 1001, 0, [1000, 0], "truncated"],
  ["truncated", 1000, 0, [1000, 0], undefined],
  ["invalid", 1001, 0, [1000, 0], "truncated"],
])("annotated with %s, of %d ready Pods and %d others: %j, %s", (mark, ready, notReady, want, after) => {
  const service = aService({ ports: [{ port: 80 }] });
  const all = Array.from({ length: ready + notReady }, (_, i) => backend(i, { ready: i < ready }));
  const annotations = mark === undefined ? {} : { "endpoints.kubernetes.io/over-capacity": mark };
  const before = build(endpoints, { metadata: { name: "web", namespace: "default", annotations } });
  const { metadata, subsets: made = [] } = planEndpoints(service, all, before)!;
  const [{ addresses = [], notReadyAddresses = [] } = {}] = made;
  expect([addresses.length, notReadyAddresses.length]).toEqual(want);
  expect(metadata.annotations?.["endpoints.kubernetes.io/over-capacity"]).toBe(after);
});

const headless = { clusterIP: "None" };
const subsets = (spec: object, ...pods: Parameters<typeof planEndpoints>[1]) =>
  (planEndpoints(aService(spec), pods, undefined)?.subsets ?? []).map(({ ports = [], addresses }) => [
    ips(addresses),
    ...ports.map(({ name, port }) => `${name} ${port}`),
  ]);

test("ports are in the order of their numbers, then of their names; one without a name has none", () => {
  const port = (name: string | undefined, number: number) => ({ name, port: number });
  const ports = [port("z", 2), port("b", 100), port("a", 100), port("y", 30)];
  expect(subsets({ ports }, backend(1))).toEqual([[["10.0.0.1"], "z 2", "y 30", "a 100", "b 100"]]);
  const [first] = planEndpoints(aService({ ports: [{ port: 80 }] }), [backend(1)], undefined)?.subsets ?? [];
  expect(first?.ports).toEqual([{ port: 80, protocol: "TCP" }]);
});

test("without ports only a headless Service has addresses", () => {
  expect(subsets({ ports: [] }, backend(1))).toEqual([]);
  expect(subsets({ ports: [], ...headless }, backend(1))).toEqual([[["10.0.0.1"]]]);
  expect(subsets({ ports: [{ port: 80 }], ...headless }, backend(1))).toEqual([
    [["10.0.0.1"], "undefined 80"],
  ]);
});

test("a Service without backends has Endpoints without subsets", () => {
  const empty = planEndpoints(aService(), [], undefined);
  expect(empty).not.toHaveProperty("subsets");
  expect(planEndpoints(aService(), [], build(endpoints, empty ?? {}))).toBeUndefined();
});

test("Pods that end have addresses only where all are wanted, and those without an address never", () => {
  const ending = (i: number) => {
    const pod = backend(i);
    return { ...pod, metadata: { ...pod.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
  };
  const bare = { ...backend(2), status: { phase: "Running" } as const };
  expect(subsets({ ports: [{ port: 80 }] }, ending(1), bare, backend(3))).toEqual([
    [["10.0.0.3"], "undefined 80"],
  ]);
  expect(subsets({ ports: [{ port: 80 }], publishNotReadyAddresses: true }, ending(1), bare)).toEqual([
    [["10.0.0.1"], "undefined 80"],
  ]);
});

test("addresses are of the Service's first family", () => {
  const pod = backend(1);
  const dual = { ...pod, status: { ...pod.status, podIPs: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }] } };
  for (const [ipFamilies, ip] of [
    [["IPv4", "IPv6"], "10.0.0.1"],
    [["IPv6", "IPv4"], "fd00::1"],
  ] as const)
    expect(subsets({ ports: [{ port: 80 }], ipFamilies }, dual)).toEqual([[[ip], "undefined 80"]]);
});

test("a thousand addresses are not cut", () => {
  const all = Array.from({ length: maxAddresses }, (_, i) => backend(i, { ready: i >= 50 }));
  const after = planEndpoints(aService({ ports: [{ port: 80 }] }), all, undefined);
  expect([after?.subsets?.[0]?.addresses?.length, after?.subsets?.[0]?.notReadyAddresses?.length]).toEqual([
    950, 50,
  ]);
  expect(after?.metadata).not.toHaveProperty("annotations");
});
