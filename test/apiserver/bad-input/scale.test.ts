import { expect, test } from "vitest";
import { inDefault, startBed } from "../../../src/apiserver/server.suite.ts";

const replicationControllers = inDefault("replicationcontrollers");
const template = {
  metadata: { labels: { app: "a" } },
  spec: {
    containers: [{ name: "a", image: "a", terminationMessagePolicy: "File", imagePullPolicy: "Always" }],
  },
};

/** Patches that are invalid for a Scale, with upstream's code for the same patch of any other object. */
const wrong: readonly (readonly [type: string, body: unknown, code: number])[] = [
  ["merge-patch", [1], 400],
  ["merge-patch", { spec: { replicas: "many" } }, 422],
  ["merge-patch", { kind: "Pod" }, 422],
  ["strategic-merge-patch", [{}], 400],
  [
    "strategic-merge-patch",
    { metadata: { "$setElementOrder/ownerReferences": [{ uid: "a" }], ownerReferences: [{ uid: "b" }] } },
    400,
  ],
  ["json-patch", [{ op: "remove", path: "/nowhere" }], 422],
  ["json-patch", [{ op: "test", path: "/spec", value: 1 }], 422],
];

test("an invalid patch of a scale is refused, and is no internal error", async () => {
  const bed = await startBed();
  const spec = { replicas: 1, selector: { app: "a" }, template };
  await bed.make(replicationControllers, { metadata: { name: "a" }, spec });
  for (const [type, body, code] of wrong) {
    const headers = { "content-type": `application/${type}+json` };
    const answer = await bed.call("PATCH", `${replicationControllers}/a/scale`, body, { headers });
    expect([body, answer.status]).toEqual([body, code]);
  }
});
