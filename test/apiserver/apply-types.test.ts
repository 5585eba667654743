import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { startBed } from "../../src/apiserver/server.suite.ts";

/**
 * Configurations that violate the schema of their kind, with the messages of upstream's type converter (client-go
 * 0.36).
 */
interface Case {
  readonly object: { readonly apiVersion: string; readonly kind: string; readonly metadata?: unknown };
  readonly error: string;
}

const file = new URL("../fixtures/apply-types.jsonl", import.meta.url);
const cases = readFileSync(file, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Case);
const headers = { "content-type": "application/apply-patch+yaml" };

/** Sorts a message's lines, because Go iterates maps in random order. */
const lines = (message: string) => message.split("\n").toSorted();

test("a configuration that violates the schema is refused with upstream's path and words", async () => {
  const bed = await startBed();
  for (const { object, error } of cases) {
    const root = object.apiVersion.includes("/") ? "apis" : "api";
    const url = `/${root}/${object.apiVersion}/namespaces/default/${object.kind.toLowerCase()}s/x?fieldManager=m`;
    const { status, body } = await bed.call("PATCH", url, JSON.stringify(object), { headers });
    expect({ status, lines: lines(body.message) }, JSON.stringify(object)).toEqual({
      status: 500,
      lines: lines(error),
    });
    expect(body).not.toHaveProperty("reason");
  }
  expect(cases.length).toBeGreaterThan(40);
});

test("a configuration that fits its schema but is no value of the kind is a bad request", async () => {
  const bed = await startBed();
  const apply = (spec: object) =>
    bed.call(
      "PATCH",
      "/apis/apps/v1/namespaces/default/deployments/x?fieldManager=m",
      JSON.stringify({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "x" }, spec }),
      { headers },
    );
  const labels = { a: "b" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "a", image: "i" }] } };
  const good = { selector: { matchLabels: labels }, template };
  const refused = { status: 400, body: { reason: "BadRequest" } };
  expect(await apply({ ...good, replicas: 1.5 })).toMatchObject(refused);
  expect(await apply(good)).toMatchObject({ status: 201 });
  expect(await apply({ ...good, replicas: 1.5 })).toMatchObject(refused);
});

test("a message of many problems stays short, even with long paths", async () => {
  const bed = await startBed();
  const env = Array.from({ length: 5000 }, (_, index) => ({ name: `e${index}`, value: 1 }));
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    spec: { containers: [{ name: "n".repeat(100_000), env }] },
  };
  const url = "/api/v1/namespaces/default/pods/x?fieldManager=m";
  const { status, body } = await bed.call("PATCH", url, JSON.stringify(pod), { headers });
  expect(status).toBe(500);
  expect(body.message.length).toBeLessThan(300_000);
});
