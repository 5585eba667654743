import { expect, test } from "vitest";
import { create } from "../pipeline.suite.ts";

test.each<readonly [spec: object, errors: readonly string[]]>([
  [{ holderIdentity: "a", leaseDurationSeconds: 15 }, []],
  [{ leaseDurationSeconds: 0 }, ["spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0"]],
  [
    { leaseTransitions: -1 },
    ["spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0"],
  ],
  [
    { preferredHolder: "b" },
    ["spec.preferredHolder: Forbidden: may only be specified if `strategy` is defined"],
  ],
  [
    { strategy: "Luck" },
    ['spec.strategy.strategy: Unsupported value: "Luck": supported values: "OldestEmulationVersion"'],
  ],
])("a lease of %j", (spec, errors) => {
  const metadata = { name: "a", namespace: "b" };
  expect(create({ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec }).errors).toEqual(
    errors,
  );
});
