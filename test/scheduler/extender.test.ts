import { afterEach, beforeEach, expect, test } from "vitest";
import { events, pods } from "../../src/api/index.ts";
import { bindings } from "../../src/api/core/binding/schema.ts";
import type { TestCluster } from "../../src/testing/index.ts";
import { type Answer, startWithExtender } from "./extender.suite.ts";

let cluster: TestCluster;
let stop: () => Promise<void>;
/** The only node that the extender accepts; undefined while it is broken. */
let accepted: string | undefined;

beforeEach(async () => {
  accepted = "node-2";
  // Safe: the scheduler sends no other requests.
  const reply: Answer = (path, body) => answer(path, body as Request);
  const settings = ["filterVerb: filter", "bindVerb: bind", "nodeCacheCapable: true"];
  ({ cluster, stop } = await startWithExtender(3, settings, reply));
});
afterEach(() => stop());

interface Request {
  readonly PodName: string;
  readonly Node: string;
}

async function answer(url: string, body: Request) {
  if (accepted === undefined) return undefined;
  if (url === "/extend/filter") return { NodeNames: [accepted] };
  const { apiVersion, kind } = bindings;
  const metadata = { name: body.PodName, annotations: { "example.com/bound-by": "extender" } };
  await cluster.client
    .of(pods, "default")
    .subresource(body.PodName, "binding")
    .create({ apiVersion, kind, metadata, target: { kind: "Node", name: body.Node } });
  return {};
}

const own = () => cluster.client.of(pods, "default");
const create = (name: string) =>
  own().create({ metadata: { name }, spec: { containers: [{ name: "main", image: "web:1" }] } });

test("an extender over HTTP decides on the node, and binds the Pod", async () => {
  await create("pod");
  await cluster.waitFor(async () => (await own().get("pod")).spec.nodeName !== undefined);
  const { metadata, spec } = await own().get("pod");
  expect([spec.nodeName, metadata.annotations]).toEqual(["node-2", { "example.com/bound-by": "extender" }]);
});

test("while the extender is broken, the Pod's event says so; it is tried again after its back-off", async () => {
  accepted = undefined;
  await create("pod");
  const failures = async () =>
    (await cluster.client.of(events, "default").list()).items.filter(
      ({ reason }) => reason === "FailedScheduling",
    );
  await cluster.waitFor(async () => (await failures()).length > 0);
  expect((await failures())[0]?.message).toMatch(/^failed with extender at URL http:.*filter, code 500$/);
  accepted = "node-3";
  await cluster.waitFor(async () => (await own().get("pod")).spec.nodeName === "node-3");
});
