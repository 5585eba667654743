import { expect, test } from "vitest";
import { type ClusterRole, clusterRoles } from "../../api/rbac/role/schema.ts";
import { build } from "../builders.suite.ts";
import { startTestbed } from "../testbed.suite.ts";
import { clusterRoleAggregationController } from "./controller.ts";
import { atOnce } from "../../util/steps.ts";
import { planRules } from "./plan.ts";

const rule = (resource: string) => ({ apiGroups: [""], resources: [resource], verbs: ["get"] });
const role = (name: string, part: string, ...resources: readonly string[]): ClusterRole =>
  build(clusterRoles, { metadata: { name, labels: { part } }, rules: resources.map(rule) });
const whole = (rules: readonly object[], ...parts: readonly string[]): ClusterRole => {
  const clusterRoleSelectors = parts.map((part) => ({ matchLabels: { part } }));
  return build(clusterRoles, {
    metadata: { name: "whole", labels: { part: "a" } },
    rules,
    aggregationRule: { clusterRoleSelectors },
  });
};

const rulesFor = (one: ClusterRole, all: readonly ClusterRole[]) => atOnce(planRules(one, all));

test("a role is made up of those it chooses, in order of selector and name, each rule once", () => {
  const all = [
    role("2", "a", "pods", "secrets"),
    role("1", "a", "nodes"),
    role("3", "b", "pods", "events"),
    role("4", "c", "leases"),
  ];
  const one = whole([rule("own")], "a", "b");
  const resources = (rulesFor(one, [...all, one]) ?? []).map(({ resources: [first] = [] }) => first);
  expect(resources).toEqual(["nodes", "pods", "secrets", "events"]);
  expect(
    rulesFor(
      whole(
        resources.map((name) => rule(name ?? "")),
        "a",
        "b",
      ),
      all,
    ),
  ).toBeUndefined();
  expect(rulesFor(role("5", "a", "pods"), all)).toBeUndefined();
});

test("many selectors take steps that are each bounded", () => {
  const parts = Array.from({ length: 5000 }, (_, i) => `none-${i}`);
  const all = Array.from({ length: 20 }, (_, i) => role(`r${i}`, "a", "pods"));
  expect([...planRules(whole([], ...parts), all)].length).toBe(10);
});

test("an aggregated ClusterRole follows the roles that it is made of", async () => {
  const bed = await startTestbed(() => [clusterRoleAggregationController()]);
  const roles = bed.client.of(clusterRoles);
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { part: "yes" } }] };
  await roles.create({ metadata: { name: "whole" }, rules: [], aggregationRule });
  const rules = async () => (await roles.get("whole")).rules;
  await roles.create({ metadata: { name: "one", labels: { part: "yes" } }, rules: [rule("pods")] });
  await bed.until(async () => (await rules()).length === 1);
  await roles.patch("one", { rules: [rule("pods"), rule("nodes")] }, { type: "merge" });
  await bed.until(async () => (await rules()).length === 2);
  await roles.delete("one");
  await bed.until(async () => (await rules()).length === 0);
  expect((await roles.get("whole")).aggregationRule).toEqual(aggregationRule);
  expect(bed.complaints).toEqual([]);
});
