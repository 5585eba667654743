import { expect, test } from "vitest";
import type { PathAccess, PolicyRule, ResourceAccess } from "./authorizer.ts";
import { ruleAllows } from "./rules.ts";

const of = (text: string, name = ""): ResourceAccess => {
  const [group = "", resource = "", subresource = ""] = text.split("/");
  return { type: "resource", group, version: "v1", namespace: "default", resource, subresource, name };
};
const at = (path: string): PathAccess => ({ type: "path", path });
const apps: PolicyRule = { verbs: ["get", "list"], apiGroups: ["apps"], resources: ["deployments"] };
const paths: PolicyRule = { verbs: ["get"], nonResourceURLs: ["/healthz", "/logs/*"] };

test.each<readonly [string, boolean, PolicyRule, string, ResourceAccess | PathAccess]>([
  ["a verb that it names", true, apps, "list", of("apps/deployments")],
  ["no other verb", false, apps, "delete", of("apps/deployments")],
  ["every verb by a star", true, { ...apps, verbs: ["*"] }, "anything", of("apps/deployments")],
  ["no verb that only begins like one of its own", false, apps, "li", of("apps/deployments")],
  ["no other group", false, apps, "get", of("extensions/deployments")],
  ["every group by a star", true, { ...apps, apiGroups: ["*"] }, "get", of("extensions/deployments")],
  ["no other resource", false, apps, "get", of("apps/daemonsets")],
  ["every resource by a star", true, { ...apps, resources: ["*"] }, "get", of("apps/daemonsets")],
  ["every subresource by a star", true, { ...apps, resources: ["*"] }, "get", of("apps/daemonsets/status")],
  ["no subresource by the resource's name", false, apps, "get", of("apps/deployments/scale")],
  [
    "a subresource that it names",
    true,
    { ...apps, resources: ["deployments/scale"] },
    "get",
    of("apps/deployments/scale"),
  ],
  [
    "no resource by a subresource's name",
    false,
    { ...apps, resources: ["deployments/scale"] },
    "get",
    of("apps/deployments"),
  ],
  [
    "one subresource of everything",
    true,
    { ...apps, resources: ["*/scale"] },
    "get",
    of("apps/replicasets/scale"),
  ],
  [
    "not another subresource of everything",
    false,
    { ...apps, resources: ["*/scale"] },
    "get",
    of("apps/replicasets/status"),
  ],
  [
    "no resource by a star with an empty subresource",
    false,
    { ...apps, resources: ["*/"] },
    "get",
    of("apps/a"),
  ],
  ["a name that it has", true, { ...apps, resourceNames: ["a"] }, "get", of("apps/deployments", "a")],
  ["no other name", false, { ...apps, resourceNames: ["a"] }, "get", of("apps/deployments", "b")],
  ["no list by a name", false, { ...apps, resourceNames: ["a"] }, "list", of("apps/deployments")],
  ["any name where it has none", true, { ...apps, resourceNames: [] }, "get", of("apps/deployments", "b")],
  ["no name by a star", false, { ...apps, resourceNames: ["*"] }, "get", of("apps/deployments", "a")],
  ["a path that it names", true, paths, "get", at("/healthz")],
  ["no other path", false, paths, "get", at("/healthz/etcd")],
  ["a path below a star", true, paths, "get", at("/logs/a/b")],
  ["no path before a star", false, paths, "get", at("/logs")],
  ["every path by a star alone", true, { ...paths, nonResourceURLs: ["*"] }, "get", at("/version")],
  ["a path with no other verb", false, paths, "post", at("/healthz")],
  ["no resource by paths", false, { verbs: ["*"], nonResourceURLs: ["*"] }, "get", of("/pods")],
  ["no path by resources", false, { verbs: ["*"], apiGroups: ["*"], resources: ["*"] }, "get", at("/a")],
  ["nothing of no group", false, { verbs: ["*"], resources: ["*"] }, "get", of("/pods")],
  ["no resource where it names none", false, { verbs: ["*"], apiGroups: ["*"] }, "get", of("/pods")],
])("a rule allows %s", (_, allowed, rule, verb, target) => {
  expect(ruleAllows(rule, verb, target)).toBe(allowed);
});
