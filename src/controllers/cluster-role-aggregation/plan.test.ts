import { expect, test } from "vitest";
import { type ClusterRole, clusterRoles } from "../../api/rbac/role/schema.ts";
import { atOnce } from "../../util/steps.ts";
import { build } from "../builders.suite.ts";
import { planRules } from "./plan.ts";

const rule = (resource: string) => ({ verbs: ["get"], apiGroups: [""], resources: [resource] });
const role = (name: string, labels: Readonly<Record<string, string>>, ...resources: readonly string[]) =>
  build(clusterRoles, { metadata: { name, labels }, rules: resources.map(rule) });
const select = (...labels: readonly Readonly<Record<string, string>>[]): object => ({
  aggregationRule: { clusterRoleSelectors: labels.map((matchLabels) => ({ matchLabels })) },
});
const gathering = (aggregation: object, ...resources: readonly string[]): ClusterRole =>
  build(clusterRoles, { metadata: { name: "all" }, rules: resources.map(rule), ...aggregation });

const some = [
  role("b", { to: "all" }, "secrets"),
  role("a", { to: "all" }, "pods", "nodes"),
  role("c", {}, "events"),
];
const plan = (one: ClusterRole, all: readonly ClusterRole[]) => atOnce(planRules(one, all));

test("a role gets the rules of the roles that it selects, in the order of their names", () => {
  expect(plan(gathering(select({ to: "all" })), some)).toEqual([
    rule("pods"),
    rule("nodes"),
    rule("secrets"),
  ]);
});

test("a role loses what it had besides", () => {
  expect(plan(gathering(select({ to: "all" }), "events"), some)).toEqual([
    rule("pods"),
    rule("nodes"),
    rule("secrets"),
  ]);
  expect(plan(gathering(select({ to: "none" }), "events"), some)).toEqual([]);
});

test("selectors are taken in their order, and each role at the first that selects it", () => {
  const all = [
    role("a", { x: "1" }, "pods"),
    role("b", { x: "1", y: "1" }, "nodes"),
    role("c", { y: "1" }, "events"),
  ];
  expect(plan(gathering(select({ y: "1" }, { x: "1" })), all)).toEqual([
    rule("nodes"),
    rule("events"),
    rule("pods"),
  ]);
});

test("a rule that several roles have comes once", () => {
  const all = [role("a", { to: "all" }, "pods"), role("b", { to: "all" }, "pods", "nodes")];
  expect(plan(gathering(select({ to: "all" })), all)).toEqual([rule("pods"), rule("nodes")]);
});

test("a role that has just these rules is left alone", () => {
  expect(plan(gathering(select({ to: "all" }), "pods", "nodes", "secrets"), some)).toBeUndefined();
});

test("a role without an aggregationRule keeps its rules, and one without selectors gets none", () => {
  expect(plan(gathering({}, "events"), some)).toBeUndefined();
  expect(plan(gathering({ aggregationRule: {} }, "events"), some)).toEqual([]);
});

test("a role does not gather its own rules", () => {
  const own = build(clusterRoles, {
    metadata: { name: "all", labels: { to: "all" } },
    rules: [rule("events")],
    ...select({ to: "all" }),
  });
  expect(plan(own, [...some, own])).toEqual([rule("pods"), rule("nodes"), rule("secrets")]);
});

test("ten thousand comparisons are one step", () => {
  const steps = (selectors: number, roles: number) => {
    const all = Array.from({ length: roles }, (_, i) => role(`r${i}`, {}, "pods"));
    const labels = Array.from({ length: selectors }, (_, i) => ({ [`l${i}`]: "" }));
    let count = 0;
    for (const _ of planRules(gathering(select(...labels)), all)) count++;
    return count;
  };
  expect([steps(99, 100), steps(100, 100), steps(199, 100), steps(200, 100)]).toEqual([0, 1, 1, 2]);
});
