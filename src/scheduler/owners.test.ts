import { expect, test } from "vitest";
import { services } from "../api/core/service/schema.ts";
import type { Service } from "../api/core/service/schema.ts";
import type { Pod } from "../api/core/pod/schema.ts";
import { decode } from "../meta/decode.ts";
import { aPod } from "./builders.suite.ts";
import { Owners } from "./owners.ts";

const { apiVersion, kind } = services;
function aService(name: string, selector: object | undefined, namespace = "default"): Service {
  return {
    apiVersion,
    kind,
    ...decode(services.schema, { metadata: { name, namespace }, spec: { selector } }),
  };
}

/** A Pod with labels `app` and `tier`, of the owner `Kind/name`. */
function pod(owner?: string, isController = true): Pod {
  const [ownerKind = "", name = ""] = (owner ?? "").split("/");
  const reference = { apiVersion: "apps/v1", kind: ownerKind, name, uid: "u", controller: isController };
  const plain = aPod("p");
  const ownerReferences = owner === undefined ? [] : [reference];
  return { ...plain, metadata: { ...plain.metadata, ownerReferences, labels: { app: "a", tier: "b" } } };
}

const selectorOf = (owners: Owners, one = pod()) => owners.selectorFor(one)?.toString();

test("a Pod belongs with those of all Services that select it, and of its controller", () => {
  const owners = new Owners();
  expect(selectorOf(owners)).toBeUndefined();
  owners.setService(aService("one", { app: "a" }));
  owners.setService(aService("other", { app: "x" }));
  owners.setService(aService("all", {}));
  owners.setService(aService("elsewhere", { tier: "b" }, "other"));
  expect(selectorOf(owners)).toBe("app=a");
  owners.setService(aService("two", { tier: "b" }));
  expect(selectorOf(owners)).toBe("app=a,tier=b");
  owners.setController("ReplicaSet", "default", "web", { matchLabels: { owned: "1" } });
  expect(selectorOf(owners, pod("ReplicaSet/web"))).toBe("app=a,owned=1,tier=b");
});

test("the selector follows Services and controllers that change and leave", () => {
  const owners = new Owners();
  owners.setService(aService("one", { app: "a" }));
  expect(selectorOf(owners)).toBe("app=a");
  owners.setService(aService("one", { tier: "b" }));
  expect(selectorOf(owners)).toBe("tier=b");
  owners.setService(aService("one", undefined));
  expect(selectorOf(owners)).toBeUndefined();
  owners.setService(aService("one", { app: "a" }));
  owners.setService(aService("two", { tier: "b" }));
  expect(selectorOf(owners)).toBe("app=a,tier=b");
  owners.removeService("default", "one");
  expect(selectorOf(owners)).toBe("tier=b");
  owners.removeService("default", "unknown");
  owners.removeService("unknown", "two");
  expect(selectorOf(owners)).toBe("tier=b");
  owners.removeService("default", "two");
  const owned = pod("StatefulSet/db");
  expect(selectorOf(owners, owned)).toBeUndefined();
  owners.setController("StatefulSet", "default", "db", { matchLabels: { a: "1" } });
  expect(selectorOf(owners, owned)).toBe("a=1");
  owners.setController("StatefulSet", "default", "db", { matchLabels: { a: "2" } });
  expect(selectorOf(owners, owned)).toBe("a=2");
  owners.removeController("StatefulSet", "default", "db");
  expect(selectorOf(owners, owned)).toBeUndefined();
});

test("only the controller of its own kind, namespace and name counts", () => {
  const owners = new Owners();
  owners.setController("ReplicaSet", "default", "web", { matchLabels: { a: "1" } });
  owners.setController("ReplicaSet", "other", "db", { matchLabels: { a: "2" } });
  expect(selectorOf(owners, pod("ReplicaSet/web", false))).toBeUndefined();
  expect(selectorOf(owners, pod("StatefulSet/web"))).toBeUndefined();
  expect(selectorOf(owners, pod("ReplicaSet/db"))).toBeUndefined();
  expect(selectorOf(owners, pod("ReplicaSet/web"))).toBe("a=1");
});

test("Pods with other labels are looked up anew", () => {
  const owners = new Owners();
  owners.setService(aService("one", { app: "a" }));
  const plain = pod();
  const other = { ...plain, metadata: { ...plain.metadata, labels: { app: "x" } } };
  expect(selectorOf(owners)).toBe("app=a");
  expect(selectorOf(owners, other)).toBeUndefined();
  expect(selectorOf(owners)).toBe("app=a");
});
