import { expect, test } from "vitest";
import type { KubeObject } from "../../meta/kind.ts";
import { selectorOfLabels } from "../../meta/labels.ts";
import { failure } from "../../meta/status.ts";
import { aPod, aReplicaSet } from "../builders.suite.ts";
import { AdoptionError, claim, planClaims } from "./claim.ts";
import { controllerRef } from "./controller-ref.ts";

const owner = aReplicaSet();
const selector = selectorOfLabels({ app: "web" });
const ownerReferences = [controllerRef(owner)];
const other = [controllerRef(aReplicaSet({}, { uid: "other" }))];
const labels = { app: "else" };
const deletionTimestamp = "2026-01-01T00:00:00Z";

const objects = [
  aPod("mine", { metadata: { ownerReferences } }),
  aPod("mine-ending", { metadata: { ownerReferences, deletionTimestamp } }),
  aPod("strayed", { metadata: { ownerReferences, labels } }),
  aPod("orphan"),
  aPod("orphan-ending", { metadata: { deletionTimestamp } }),
  aPod("orphan-else", { metadata: { labels } }),
  aPod("theirs", { metadata: { ownerReferences: other } }),
];
const names = (all: readonly KubeObject[]) => all.map(({ metadata }) => metadata.name);

test("an owner keeps what it selects, adopts orphans and releases what it no longer selects", () => {
  const { owned, adopt, release } = planClaims(owner, selector, objects);
  expect([names(owned), names(adopt), names(release)]).toEqual([
    ["mine", "mine-ending"],
    ["orphan"],
    ["strayed"],
  ]);
});

test("a terminating owner neither adopts nor releases", () => {
  const { owned, adopt, release } = planClaims(aReplicaSet({}, { deletionTimestamp }), selector, objects);
  expect([names(owned), adopt, release]).toEqual([["mine", "mine-ending"], [], []]);
});

function claiming(
  refetched: KubeObject,
  patch = (_: string): Promise<never> => Promise.resolve(undefined as never),
) {
  const patches: [string, object][] = [];
  const dependents = { patch: (name: string, body: object) => (patches.push([name, body]), patch(name)) };
  return { patches, options: { owner, dependents, refetch: () => Promise.resolve(refetched) } };
}

test("adoption and release apply only to the observed object", async () => {
  const { patches, options } = claiming(owner);
  const all = await claim(planClaims(owner, selector, objects), options);
  expect(names(all)).toEqual(["mine", "mine-ending", "orphan"]);
  expect(patches).toEqual([
    ["orphan", { metadata: { uid: "uid-orphan", ownerReferences } }],
    [
      "strayed",
      { metadata: { uid: "uid-strayed", ownerReferences: [{ $patch: "delete", uid: "uid-web" }] } },
    ],
  ]);
});

test("an owner that is deleted, replaced or terminating on the server adopts nothing", async () => {
  for (const fresh of [aReplicaSet({}, { uid: "new" }), aReplicaSet({}, { deletionTimestamp })]) {
    const { patches, options } = claiming(fresh);
    await expect(claim(planClaims(owner, selector, objects), options)).rejects.toThrow(AdoptionError);
    expect(patches).toEqual([]);
  }
});

test("an orphan that is gone is not claimed, and any other failure is thrown after all were tried", async () => {
  const gone = claiming(owner, () => Promise.reject(failure(404, "NotFound", "gone")));
  expect(names(await claim(planClaims(owner, selector, objects), gone.options))).toEqual([
    "mine",
    "mine-ending",
  ]);
  const refused = claiming(owner, () => Promise.reject(failure(409, "Conflict", "no")));
  await expect(claim(planClaims(owner, selector, objects), refused.options)).rejects.toThrow("no");
  expect(refused.patches.length).toBe(2);
});
