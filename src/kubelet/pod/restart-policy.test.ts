import { describe, expect, test } from "vitest";
import type { Container } from "../../api/core/pod/container.ts";
import { type Exit, restartsAfter } from "./restart-policy.ts";
import type { ContainerRole } from "./roles.ts";

type Fields = Pick<Container, "restartPolicy" | "restartPolicyRules">;

const policies = ["Always", "OnFailure", "Never"] as const;
const exits: readonly Exit["exitCode"][] = [0, 1, undefined];

/** One letter for each exit code of `exits`: R if the container restarts, - if it does not. */
function row(pod: (typeof policies)[number], own: Fields, role: ContainerRole, terminating: boolean): string {
  return exits
    .map((exitCode) =>
      restartsAfter({ restartPolicy: pod }, own, { role, exitCode, terminating }) ? "R" : "-",
    )
    .join("");
}

describe("restartsAfter", () => {
  test.each([
    // Own policy, role, and the row of each Pod policy: Always, OnFailure, Never.
    [undefined, "main", "RRR -RR ---"],
    ["Always", "main", "RRR RRR RRR"],
    ["OnFailure", "main", "-RR -RR -RR"],
    ["Never", "main", "--- --- ---"],
    [undefined, "init", "-RR -RR ---"],
    ["OnFailure", "init", "-RR -RR -RR"],
    ["Never", "init", "--- --- ---"],
    ["Always", "sidecar", "RRR RRR RRR"],
    [undefined, "ephemeral", "--- --- ---"],
    ["Always", "ephemeral", "--- --- ---"],
  ] as const)(
    "own policy %s, %s container: %s after 0, 1 and an unknown exit code",
    (own, role, expected) => {
      const fields = own === undefined ? {} : { restartPolicy: own };
      expect(policies.map((pod) => row(pod, fields, role, false)).join(" ")).toBe(expected);
      expect(policies.map((pod) => row(pod, fields, role, true)).join(" ")).toBe("--- --- ---");
    },
  );

  const rule = (operator: string, values: readonly number[], action = "Restart") => ({
    action,
    exitCodes: { operator, values },
  });
  test.each<[string, Fields, ContainerRole, string]>([
    ["In", { restartPolicy: "Never", restartPolicyRules: [rule("In", [1, 2])] }, "main", "-R-"],
    ["In, with success", { restartPolicy: "Never", restartPolicyRules: [rule("In", [0])] }, "main", "R--"],
    ["NotIn", { restartPolicy: "Never", restartPolicyRules: [rule("NotIn", [1])] }, "main", "R-R"],
    [
      "an unknown exit code",
      { restartPolicy: "Never", restartPolicyRules: [rule("In", [137])] },
      "main",
      "--R",
    ],
    ["no match", { restartPolicy: "OnFailure", restartPolicyRules: [rule("In", [9])] }, "main", "-RR"],
    [
      "a rule without codes",
      { restartPolicy: "Never", restartPolicyRules: [{ action: "Restart" }] },
      "main",
      "---",
    ],
    [
      "an unknown operator",
      { restartPolicy: "Never", restartPolicyRules: [rule("Like", [1])] },
      "main",
      "---",
    ],
    [
      "the first match",
      {
        restartPolicy: "Never",
        restartPolicyRules: [rule("In", [1], "RestartAllContainers"), rule("In", [1])],
      },
      "main",
      "---",
    ],
    ["no policy of its own", { restartPolicyRules: [rule("NotIn", [])] }, "main", "---"],
    [
      "an init container",
      { restartPolicy: "Never", restartPolicyRules: [rule("NotIn", [9])] },
      "init",
      "-RR",
    ],
    ["a sidecar", { restartPolicy: "Always", restartPolicyRules: [rule("In", [1])] }, "sidecar", "RRR"],
    [
      "an ephemeral container",
      { restartPolicy: "Never", restartPolicyRules: [rule("NotIn", [])] },
      "ephemeral",
      "---",
    ],
  ])("restart rules: %s", (_case, fields, role, expected) => {
    expect(row("Never", fields, role, false)).toBe(expected);
    expect(row("Never", fields, role, true)).toBe("---");
  });

  test("a Pod without a policy restarts always", () => {
    expect(restartsAfter({}, {}, { role: "main", exitCode: 0, terminating: false })).toBe(true);
  });
});
