import { expect, test } from "vitest";
import { create, load } from "../../pipeline.suite.ts";
import { describe as text } from "../../../meta/field-error.ts";
import type { Lease } from "./schema.ts";
import { validateLease } from "./validation.ts";

const lease = (spec: object) => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name: "a", namespace: "b" },
  spec,
});

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
  const found = [...validateLease(load(lease(spec)) as unknown as Lease)];
  expect(found.map(text)).toEqual(errors);
});

test("new leases cannot use coordinated leader election", () => {
  const { object, errors } = create(lease({ strategy: "Luck", preferredHolder: "b", holderIdentity: "a" }));
  expect([(object as unknown as Lease).spec, errors]).toEqual([{ holderIdentity: "a" }, []]);
});
