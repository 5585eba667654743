import { describe, expect, test } from "vitest";
import { countEvaluator } from "../../api/core/resource-quota/evaluator.ts";
import { parseAmounts } from "../../api/core/resource-quota/amounts.ts";
import type { ResourceQuota } from "../../api/core/resource-quota/schema.ts";
import { countUsage, lowersUsage, planStatus } from "./plan.ts";

const quotaOf = (hard: Amounts, status: ResourceQuota["status"], spec: object = {}): ResourceQuota => ({
  apiVersion: "v1",
  kind: "ResourceQuota",
  metadata: { name: "q" },
  spec: { hard, ...spec },
  status,
});
type Amounts = Readonly<Record<string, string>>;

describe("the next status", () => {
  test.each<
    readonly [string, Amounts, ResourceQuota["status"], Amounts, ResourceQuota["status"] | undefined]
  >([
    ["records the limits", { pods: "1" }, {}, { pods: "0" }, { hard: { pods: "1" }, used: { pods: "0" } }],
    [
      "is none when the amounts are equal, whatever their form",
      { memory: "1Gi" },
      { hard: { memory: "1024Mi" }, used: { memory: "1024" } },
      { memory: "1Ki" },
      undefined,
    ],
    [
      "drops what is no longer limited",
      { pods: "1" },
      { hard: { pods: "1", secrets: "1" }, used: { pods: "0", secrets: "1" } },
      { pods: "0" },
      { hard: { pods: "1" }, used: { pods: "0" } },
    ],
    [
      "keeps a usage that is not known now",
      { pods: "1", "count/boats.example.com": "9" },
      { hard: { pods: "1" }, used: { pods: "1", "count/boats.example.com": "3" } },
      { pods: "0" },
      {
        hard: { "count/boats.example.com": "9", pods: "1" },
        used: { "count/boats.example.com": "3", pods: "0" },
      },
    ],
    ["of an empty quota is written once", {}, {}, {}, { hard: {}, used: {} }],
  ])("%s", (_, hard, status, usage, expected) => {
    expect(planStatus(quotaOf(hard, status), parseAmounts(usage))).toEqual(expected);
  });

  test("lowers a usage or does not", () => {
    const quota = quotaOf({}, { used: { pods: "2", secrets: "1" } });
    expect(lowersUsage(quota, { used: { pods: "3", secrets: "0" } })).toBe(true);
    expect(lowersUsage(quota, { used: { pods: "3" } })).toBe(false);
  });
});

test("scopes select no objects that only count", () => {
  const evaluator = countEvaluator(["secrets"]);
  expect(countUsage(quotaOf({ secrets: "9", pods: "1" }, {}), evaluator, 3)).toEqual(
    parseAmounts({ secrets: "3" }),
  );
  const scoped = quotaOf({ secrets: "9" }, {}, { scopes: ["Terminating"] });
  expect(countUsage(scoped, evaluator, 3)).toEqual(parseAmounts({ secrets: "0" }));
});
