import { expect, test } from "vitest";
import { aDeployment, aPod, aReplicaSet } from "../builders.suite.ts";
import { controllerRef, controllerRefOf, isControlledBy } from "./controller-ref.ts";

const owner = aReplicaSet({}, { name: "web-1", uid: "u1" });
const plain = { apiVersion: "v1", kind: "ConfigMap", name: "c", uid: "u2" };

test("a reference to the managing controller names the controller and blocks its deletion", () => {
  expect(controllerRef(owner)).toEqual({
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    name: "web-1",
    uid: "u1",
    controller: true,
    blockOwnerDeletion: true,
  });
});

test("the managing controller is found among other owners", () => {
  const pod = aPod("a", {
    metadata: { ownerReferences: [plain, { ...plain, controller: false }, controllerRef(owner)] },
  });
  expect(controllerRefOf(pod)).toEqual(controllerRef(owner));
  expect(isControlledBy(pod, owner)).toBe(true);
  expect(isControlledBy(pod, aDeployment())).toBe(false);
});

test("an owner alone is no managing controller", () => {
  for (const pod of [aPod("a"), aPod("a", { metadata: { ownerReferences: [plain] } })]) {
    expect(controllerRefOf(pod)).toBeUndefined();
    expect(isControlledBy(pod, owner)).toBe(false);
  }
});
