import type { In } from "../../meta/schema.ts";
import type { FlowSchemaSpec, PolicyRulesWithSubjects } from "./flow-schema/schema.ts";
import type { PriorityLevelConfigurationSpec } from "./priority-level-configuration/schema.ts";

/**
 * The mandatory objects, whose specs are immutable: the exempt ones, and the catch-all for requests that
 * nothing else matches.
 */

function everythingOf(...groups: readonly string[]): In<typeof PolicyRulesWithSubjects> {
  return {
    subjects: groups.map((name) => ({ kind: "Group", group: { name } })),
    resourceRules: [
      { verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"] },
    ],
    nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
  };
}

export const mandatoryFlowSchemas: ReadonlyMap<string, In<typeof FlowSchemaSpec>> = new Map([
  [
    "exempt",
    {
      priorityLevelConfiguration: { name: "exempt" },
      matchingPrecedence: 1,
      rules: [everythingOf("system:masters")],
    },
  ],
  [
    "catch-all",
    {
      priorityLevelConfiguration: { name: "catch-all" },
      matchingPrecedence: 10_000,
      distinguisherMethod: { type: "ByUser" },
      rules: [everythingOf("system:unauthenticated", "system:authenticated")],
    },
  ],
]);

export const catchAllLevel: In<typeof PriorityLevelConfigurationSpec> = {
  type: "Limited",
  limited: { nominalConcurrencyShares: 5, lendablePercent: 0, limitResponse: { type: "Reject" } },
};
