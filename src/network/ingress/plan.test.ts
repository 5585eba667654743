import { describe, expect, test } from "vitest";
import { services } from "../../api/core/service/schema.ts";
import { endpointSlices } from "../../api/discovery/endpoint-slice/schema.ts";
import { ingressClasses } from "../../api/networking/ingress-class/schema.ts";
import { ingresses } from "../../api/networking/ingress/schema.ts";
import { atOnce } from "../../util/steps.ts";
import { build } from "../builders.suite.ts";
import { certificateOf, findBackend, ingressController, planIngresses, servedIngresses } from "./plan.ts";

const classes = [
  build(ingressClasses, { metadata: { name: "own" }, spec: { controller: ingressController } }),
  build(ingressClasses, { metadata: { name: "other" }, spec: { controller: "example.com/x" } }),
];
const service = (name: string) =>
  build(services, { metadata: { name, namespace: "ns" }, spec: { ports: [{ name: "http", port: 80 }] } });
const slice = (name: string, ...addresses: readonly string[]) =>
  build(endpointSlices, {
    metadata: { name, namespace: "ns", labels: { "kubernetes.io/service-name": name } },
    addressType: "IPv4",
    ports: [{ name: "http", port: 8080 }],
    endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
  });
const to = (name: string, port: object = { number: 80 }) => ({ service: { name, port } });
const path = (text: string, name: string, pathType = "Prefix") => ({
  path: text,
  pathType,
  backend: to(name),
});
const rule = (host: string | undefined, ...paths: readonly object[]) => ({
  ...(host !== undefined && { host }),
  http: { paths },
});
const ingress = (spec: object, metadata: object = {}) =>
  build(ingresses, {
    metadata: { name: "i", namespace: "ns", creationTimestamp: "2026-01-02T00:00:00Z", ...metadata },
    spec: { ingressClassName: "own", ...spec },
  });
const plan = (...items: readonly ReturnType<typeof ingress>[]) =>
  atOnce(
    planIngresses({
      served: servedIngresses(items, classes),
      services: ["a", "b", "c"].map(service),
      slices: [slice("a", "10.0.0.1"), slice("b", "10.0.0.2")],
      node: { name: "n" },
    }),
  );

describe("a request's backend", () => {
  const routes = plan(
    ingress({
      defaultBackend: to("c"),
      rules: [
        rule("one.example", path("/foo", "a"), path("/foo/bar/", "b"), path("/exact", "b", "Exact")),
        rule("*.wild.example", path("/", "b")),
        rule(undefined, path("/all", "a")),
      ],
    }),
  );
  test.each([
    ["one.example", "/foo", "ns/a"],
    ["one.example", "/foo/", "ns/a"],
    ["one.example", "/foo/x", "ns/a"],
    ["one.example", "/foobar", "ns/c"],
    ["one.example", "/foo/bar", "ns/b"],
    ["one.example", "/foo/bar/baz", "ns/b"],
    ["one.example", "/exact", "ns/b"],
    ["one.example", "/exact/", "ns/c"],
    ["one.example", "/all", "ns/c"],
    ["x.wild.example", "/anything", "ns/b"],
    ["wild.example", "/anything", "ns/c"],
    ["x.y.wild.example", "/anything", "ns/c"],
    ["other.example", "/all/x", "ns/a"],
    ["constructor", "/all", "ns/a"],
    ["", "/", "ns/c"],
  ])("of %s%s is %s", (host, url, expected) => {
    expect(findBackend(routes, host, url)?.service).toBe(expected);
  });

  test("has the endpoints of the Service's port, by number or name; another port has none", () => {
    const found = (backend: object) =>
      findBackend(plan(ingress({ defaultBackend: backend })), "h", "/")?.endpoints;
    const endpoints = [{ address: "10.0.0.1", port: 8080 }];
    expect(found(to("a"))).toEqual(endpoints);
    expect(found(to("a", { name: "http" }))).toEqual(endpoints);
    expect(found(to("a", { number: 81 }))).toEqual([]);
    expect(found(to("missing"))).toEqual([]);
  });

  test("is that of the older of two Ingresses", () => {
    const late = ingress({ rules: [rule("h", path("/", "a"))] }, { name: "a-late" });
    const early = ingress(
      { rules: [rule("h", path("/", "b"))] },
      { name: "early", creationTimestamp: "2026-01-01T00:00:00Z" },
    );
    expect(findBackend(plan(late, early), "h", "/")?.service).toBe("ns/b");
  });
});

test("Ingresses of other classes are not served, and the older annotation names a class, too", () => {
  const foreign = ingress({ ingressClassName: "other", defaultBackend: to("a") });
  const none = ingress({ ingressClassName: undefined, defaultBackend: to("a") });
  expect(servedIngresses([foreign, none], classes)).toEqual([]);
  const annotations = { "kubernetes.io/ingress.class": "own" };
  const old = ingress({ ingressClassName: undefined, defaultBackend: to("a") }, { annotations });
  expect(servedIngresses([old], classes)).toHaveLength(1);
});

test("a host's certificate is that of its name or of its wildcard", () => {
  const tls = [{ hosts: ["one.example", "*.wild.example"], secretName: "s" }, { hosts: ["none.example"] }];
  const planned = plan(ingress({ defaultBackend: to("a"), tls }));
  expect(certificateOf(planned, "one.example")).toBe("ns/s");
  expect(certificateOf(planned, "x.wild.example")).toBe("ns/s");
  expect(certificateOf(planned, "none.example")).toBeUndefined();
});

test("a request with very many path elements costs no more than the longest prefix", () => {
  const routes = plan(ingress({ rules: [rule("h", path("/a/b", "a"))] }));
  const [host] = routes.hosts.values();
  expect(host?.depth).toBe(3);
  expect(findBackend(routes, "h", `/a/b${"/x".repeat(8000)}`)?.service).toBe("ns/a");
});
