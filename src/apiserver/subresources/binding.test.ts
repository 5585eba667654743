import { beforeEach, expect, test } from "vitest";
import { type Bed, inDefault, podBody, startBed } from "../server.suite.ts";

const pods = inDefault("pods");

let bed: Bed;
beforeEach(async () => {
  bed = await startBed();
  for (const name of ["a", "b"]) await bed.make(pods, podBody(name));
});

/** Binds a Pod to the node `n`, by a decision that has seen the Pods up to a revision. */
const bind = (name: string, manager: string, resourceVersion?: string) =>
  bed.post(`${pods}/${name}/binding?fieldManager=${manager}`, {
    apiVersion: "v1",
    kind: "Binding",
    metadata: { name },
    target: { kind: "Node", name: "n", resourceVersion },
  });
const revision = async () => (await bed.get(pods)).body.metadata.resourceVersion;

test("a decision that has not seen another scheduler's binding to its node is a conflict", async () => {
  const before = await revision();
  expect((await bind("a", "one", before)).status).toBe(201);
  const late = await bind("b", "two", before);
  expect(late.status).toBe(409);
  expect(late.body).toMatchObject({
    reason: "Conflict",
    details: { name: "n", kind: "nodes" },
    message: `Operation cannot be fulfilled on nodes "n": a Pod was bound after revision ${before}, the last one that the decision has seen`,
  });
  expect((await bed.get(`${pods}/b`)).body.spec.nodeName).toBeUndefined();
  expect((await bind("b", "two", await revision())).status).toBe(201);
});

test("a scheduler's own bindings are no conflict, nor is a binding that names no revision", async () => {
  const before = await revision();
  expect((await bind("a", "one", before)).status).toBe(201);
  expect((await bind("b", "one", before)).status).toBe(201);
  await bed.make(pods, podBody("c"));
  expect((await bind("c", "two")).status).toBe(201);
});

test("a binding that fails, or is not to be written, leaves nothing behind", async () => {
  const before = await revision();
  expect((await bind("nobody", "one", before)).status).toBe(404);
  expect((await bind("a", "one&dryRun=All", before)).status).toBe(201);
  expect((await bind("b", "two", before)).status).toBe(201);
});

test("a revision that is none is refused", async () => {
  expect((await bind("a", "one", "newest")).body).toMatchObject({
    code: 400,
    message: expect.stringContaining('resourceVersion: Invalid value: "newest"'),
  });
});
