import { expect, test } from "vitest";
import { aDeployment, aReplicaSet } from "../builders.suite.ts";
import { desiredBefore, maxBefore, resized, revisionOf, withRevision } from "./annotations.ts";

const prefix = "deployment.kubernetes.io";
const annotated = (annotations: Readonly<Record<string, string>>) => aReplicaSet({}, { annotations });

test.each([
  ["0", 0],
  ["12", 12],
  ["2147483647", 2147483647],
  ["2147483648", undefined],
  ["", undefined],
  ["-1", undefined],
  ["x1", undefined],
  ["1x", undefined],
])("a count that was noted as %j is read as %j", (text, count) => {
  expect(desiredBefore(annotated({ [`${prefix}/desired-replicas`]: text }))).toBe(count);
  expect(maxBefore(annotated({ [`${prefix}/max-replicas`]: text }))).toBe(count);
});

test("a count that was not noted is unknown", () => {
  expect(desiredBefore(annotated({ [`${prefix}/max-replicas`]: "1" }))).toBeUndefined();
  expect(maxBefore(aReplicaSet())).toBeUndefined();
});

test.each([
  ["7", 7n],
  ["9223372036854775807", 9223372036854775807n],
  ["9223372036854775808", 0n],
  ["99999999999999999999", 0n],
  ["", 0n],
  ["-7", 0n],
  ["r7", 0n],
])("a revision that was noted as %j is %s", (text, revision) => {
  expect(revisionOf(annotated({ [`${prefix}/revision`]: text }))).toBe(revision);
});

test("a revision that was not noted is 0", () => {
  expect(revisionOf(aReplicaSet())).toBe(0n);
});

test("annotations are handed on, but for those that are a Deployment's own or each ReplicaSet's own", () => {
  const own = [
    "kubectl.kubernetes.io/last-applied-configuration",
    "deprecated.deployment.rollback.to",
    ...["revision", "revision-history", "desired-replicas", "max-replicas"].map(
      (name) => `${prefix}/${name}`,
    ),
  ];
  const annotations = Object.fromEntries([...own, "note"].map((name) => [name, "theirs"]));
  const { metadata } = withRevision(aReplicaSet(), aDeployment({}, { annotations }), []);
  expect(metadata.annotations).toEqual({ note: "theirs", [`${prefix}/revision`]: "1" });
});

test("the next revision follows the highest of all, in any order", () => {
  const old = ["3", "9", "5"].map((revision) => annotated({ [`${prefix}/revision`]: revision }));
  expect(revisionOf(withRevision(aReplicaSet(), aDeployment(), old))).toBe(10n);
});

test("the first revision leaves no history, and the newest stays the same object", () => {
  const first = withRevision(aReplicaSet(), aDeployment(), []);
  expect(first.metadata.annotations).toEqual({ [`${prefix}/revision`]: "1" });
  expect(withRevision(first, aDeployment(), [])).toBe(first);
});

test("history keeps as many revisions as 2,000 characters hold", () => {
  const history = (length: number) => {
    const before = annotated({
      [`${prefix}/revision`]: "7",
      [`${prefix}/revision-history`]: `1,${"2".repeat(length)}`,
    });
    const newest = annotated({ [`${prefix}/revision`]: "8" });
    return withRevision(before, aDeployment(), [newest]).metadata.annotations?.[`${prefix}/revision-history`];
  };
  expect(history(1996)).toBe(`1,${"2".repeat(1996)},7`);
  expect(history(1997)).toBe(`${"2".repeat(1997)},7`);
});

test("a ReplicaSet of the right size stays the same object", () => {
  const three = aReplicaSet({ replicas: 3 });
  expect(resized(three, 3, aDeployment({ replicas: 5 }))).toBe(three);
});
