import { expect, test } from "vitest";
import { type ControllerRevision, controllerRevisions } from "../../api/apps/controller-revision/schema.ts";
import type { PodTemplateSpec } from "../../api/core/pod/spec.ts";
import { sortKeys } from "../../meta/json.ts";
import { isObject } from "../../util/is-object.ts";
import { aReplicaSet, build } from "../builders.suite.ts";
import { planRevision, snapshotOf, surplusRevisions, templateIn } from "./revisions.ts";

const owner = aReplicaSet();
const template = (image: string): PodTemplateSpec =>
  aReplicaSet({
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image }] } },
  }).spec.template;

function aRevision(
  name: string,
  revision: number,
  data: unknown = snapshotOf(template(name)),
): ControllerRevision {
  return { ...build(controllerRevisions, { metadata: { name }, revision }), data } as ControllerRevision;
}

test("a snapshot holds the template, and gives it back", () => {
  const one = template("a");
  expect(snapshotOf(one)).toEqual({ spec: { template: { ...one, $patch: "replace" } } });
  expect(templateIn(aRevision("a", 1))).toEqual(one);
});

test("the keys of a snapshot are in the order in which Go prints a map", () => {
  const data = snapshotOf(template("a"));
  const keysOf = (value: unknown): readonly string[] =>
    isObject(value) ? [...Object.keys(value), ...Object.values(value).flatMap(keysOf)] : [];
  const found = templateIn(aRevision("a", 1, data));
  expect(keysOf(found)).toEqual(keysOf(sortKeys(found)));
  expect(JSON.stringify(data)).toMatch(/^\{"spec":\{"template":\{"\$patch":"replace","metadata":/);
});

test.each([[null], ["text"], [{}], [{ spec: "text" }], [{ spec: {} }], [{ spec: { template: "text" } }]])(
  "data of another form, %j, holds no template",
  (data) => {
    expect(templateIn(aRevision("a", 1, data))).toBeUndefined();
  },
);

test("the newest revision stays when it is that of the template", () => {
  const revisions = [aRevision("b", 2), aRevision("a", 1)];
  expect(planRevision(owner, template("b"), revisions, 0)).toEqual({ type: "none", revision: revisions[0] });
});

test("an old revision of the template becomes the newest again, of several the newest", () => {
  const data = snapshotOf(template("a"));
  const [one, two, three] = [aRevision("a", 1), aRevision("a2", 2, data), aRevision("b", 3)] as const;
  expect(planRevision(owner, template("a"), [one, two, three], 0)).toEqual({
    type: "renumber",
    revision: two,
    number: 4,
  });
});

test("a new template gets a revision of its own, with the next number and a name by its hash", () => {
  const first = planRevision(owner, template("a"), [], undefined);
  if (first.type !== "create") throw new Error("There is no revision yet");
  expect(first).toEqual({ type: "create", name: `web-${first.hash}`, hash: first.hash, number: 1 });
  const next = planRevision(owner, template("c"), [aRevision("a", 1), aRevision("b", 7)], undefined);
  expect(next).toMatchObject({ type: "create", number: 8 });
  const collided = planRevision(owner, template("a"), [], 1);
  expect(collided).not.toMatchObject({ hash: first.hash });
});

test("a long name of an owner is cut, so that the revision's name is valid", () => {
  const long = aReplicaSet({}, { name: "x".repeat(253) });
  const step = planRevision(long, template("a"), [], undefined);
  if (step.type !== "create") throw new Error("There is no revision yet");
  expect(step.name).toBe(`${"x".repeat(223)}-${step.hash}`);
});

test("revisions that nothing uses are surplus beyond the limit, the oldest first", () => {
  const all = [4, 1, 3, 2].map((number) => aRevision(`r${number}`, number));
  const surplus = (limit: number) =>
    surplusRevisions(all, (name) => name === "r1", limit).map(({ metadata }) => metadata.name);
  expect(surplus(0)).toEqual(["r2", "r3", "r4"]);
  expect(surplus(2)).toEqual(["r2"]);
  expect(surplus(3)).toEqual([]);
  expect(surplus(10)).toEqual([]);
});
