import { expect, test } from "vitest";
import { type Service, services } from "../../api/core/service/schema.ts";
import { decode } from "../../meta/decode.ts";
import { parseNetwork } from "../../util/ipv4.ts";
import { finalizer, planLoadBalancer } from "./plan.ts";

const range = parseNetwork("127.5.0.0/29");
const finalizers = [finalizer];

interface Parts {
  readonly metadata?: object;
  readonly spec?: object;
  readonly ingress?: readonly object[];
}

function balancer({ metadata = {}, spec = {}, ingress = [] }: Parts): Service {
  const input = {
    metadata: { name: "web", namespace: "default", finalizers, ...metadata },
    spec: { type: "LoadBalancer", ports: [{ port: 80 }], ...spec },
    status: { loadBalancer: { ingress } },
  };
  const { apiVersion, kind, schema } = services;
  return { apiVersion, kind, ...decode(schema, input) };
}

const plan = (parts: Parts, ...taken: readonly string[]) =>
  planLoadBalancer({ service: balancer(parts), taken: new Set(taken), range });

const deleted = { deletionTimestamp: "2026-01-01T00:00:00Z" };
const none = { type: "none" };
const assign = (address: string) => ({ type: "assign", address });
const all = [1, 2, 3, 4, 5, 6].map((last) => `127.5.0.${last}`);

test.each<readonly [string, Parts, readonly string[], object]>([
  ["gets the finalizer first", { metadata: { finalizers: [] } }, [], { type: "addFinalizer" }],
  ["gets the first free address", {}, ["127.5.0.1", "127.5.0.3"], assign("127.5.0.2")],
  ["gets the requested address", { spec: { loadBalancerIP: "127.5.0.4" } }, [], assign("127.5.0.4")],
  ["keeps its address", { ingress: [{ ip: "127.5.0.3" }] }, ["127.5.0.1"], none],
  ["keeps an address that another program wrote", { ingress: [{ ip: "203.0.113.1" }] }, [], none],
  ["keeps a host name that another program wrote", { ingress: [{ hostname: "lb.example" }] }, [], none],
  ["gives up an address that another has", { ingress: [{ ip: all[0] }] }, ["127.5.0.1"], assign("127.5.0.2")],
  [
    "gets the newly requested address",
    { spec: { loadBalancerIP: "127.5.0.4" }, ingress: [{ ip: "127.5.0.3" }] },
    [],
    assign("127.5.0.4"),
  ],
  ["is left alone with a class", { spec: { loadBalancerClass: "example.com/lb" } }, [], none],
  [
    "of a class is left alone while it ends",
    { metadata: deleted, spec: { loadBalancerClass: "a/b" } },
    [],
    none,
  ],
  ["is released while it ends", { metadata: deleted }, [], { type: "release" }],
  ["is released with another type", { spec: { type: "ClusterIP" } }, [], { type: "release" }],
  ["has nothing to release", { metadata: { finalizers: [] }, spec: { type: "ClusterIP" } }, [], none],
])("a Service %s", (_, parts, taken, expected) => {
  expect(plan(parts, ...taken)).toEqual(expected);
});

test.each([
  ["the range is exhausted", {}, "no address is free in the range of load balancers"],
  ["the address is taken", { loadBalancerIP: "127.5.0.2" }, "127.5.0.2 belongs to another Service"],
  [
    "the address is elsewhere",
    { loadBalancerIP: "8.8.8.8" },
    "8.8.8.8 is not in the range of load balancers",
  ],
  ["it is the last", { loadBalancerIP: "127.5.0.7" }, "127.5.0.7 is not in the range of load balancers"],
])("no address is given when %s", (_, spec, problem) => {
  expect(plan({ spec }, ...all)).toEqual({ type: "refuse", problem });
});

test("the machine's usual loopback address is never given", () => {
  const loopback = parseNetwork("127.0.0.0/30");
  const service = balancer({});
  expect(planLoadBalancer({ service, taken: new Set(), range: loopback })).toEqual(assign("127.0.0.2"));
});
