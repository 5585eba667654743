import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { describe as text } from "../../../meta/field-error.ts";
import { change, create, load, type Manifest, now, registrationOf } from "../../pipeline.suite.ts";
import type { CertificateSigningRequest } from "./schema.ts";
import { validateApprovalUpdate } from "./validation.ts";

const fixture = new URL("../../../../test/fixtures/strategies/certificates.jsonl", import.meta.url);
const [first = ""] = readFileSync(fixture, "utf8").split("\n");
const { given: jane } = JSON.parse(first) as { readonly given: Manifest };
const { strategy } = registrationOf(jane.apiVersion, jane.kind);

/**
 * Updates `jane` with the conditions `after` through the subresource `approval`. The stored conditions are
 * `before`.
 */
function approve(after: Manifest, before: readonly object[] = []) {
  const old = Object.assign(create(jane).object, { status: { conditions: before } });
  const draft = load(after);
  strategy.prepareForUpdate?.(draft, old, {
    now,
    user: { name: "somebody", groups: [] },
    subresource: "approval",
  });
  const request = draft as CertificateSigningRequest;
  const errors = validateApprovalUpdate(request, old as unknown as CertificateSigningRequest);
  return { request, errors: [...errors].map(text) };
}

const of = (type: string, status = "True") => ({ type, status, reason: "ByHand" });
const withConditions = (...conditions: object[]) => change(jane, "status.conditions", conditions);

test("the approval endpoint writes the conditions with their time, and nothing else", () => {
  const asked = change(withConditions(of("Approved")), "spec.usages", ["server auth"]);
  const { request, errors } = approve(change(asked, "status.certificate", "eA=="));
  const time = "2026-03-01T12:00:00Z";
  const conditions = [{ ...of("Approved"), lastUpdateTime: time, lastTransitionTime: time }];
  expect(errors).toEqual([]);
  expect(request.status).toEqual({ conditions });
  expect(request.spec.usages).toEqual(["client auth"]);
});

test.each([
  [[of("Approved")], [], 'Forbidden: updates may not remove a condition of type "Approved"'],
  [[of("Denied")], [of("Approved")], 'Forbidden: updates may not remove a condition of type "Denied"'],
  [
    [of("Denied")],
    [of("Denied"), of("Approved")],
    'Invalid value: "Approved": Approved and Denied conditions are mutually exclusive',
  ],
])("a decision is immutable: %j to %j", (before, after, message) => {
  expect(approve(withConditions(...after), before).errors).toEqual([`status.conditions: ${message}`]);
});

test("a decision has status True", () => {
  const { errors } = approve(withConditions(of("Approved", "False")));
  expect(errors).toEqual([
    'status.conditions[0].status: Unsupported value: "False": supported values: "True"',
  ]);
});
