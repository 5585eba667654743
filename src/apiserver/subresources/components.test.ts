import { expect, test } from "vitest";
import { MemoryStore } from "../../store/memory/memory-store.ts";
import { VirtualClock } from "../../util/virtual-clock.ts";
import { type Json, startBed } from "../server.suite.ts";
import { Codec } from "../resources/codec.ts";

const url = "/api/v1/componentstatuses";
const components = () =>
  new Map<string, unknown>([
    ["scheduler", undefined],
    ["controller-manager", new Error("out of memory")],
  ]);

const namesOf = ({ items }: Json) => items.map(({ metadata }: Json) => metadata.name);
const condition = (status: string, more: object) => ({
  conditions: [{ type: "Healthy", status, ...more }],
});

test("components are listed with their health, without the metadata of stored objects", async () => {
  const bed = await startBed({ components });
  const { status, body, warnings } = await bed.get(url);
  expect(status).toBe(200);
  expect(warnings).toEqual(['299 - "v1 ComponentStatus is deprecated in v1.19+"']);
  expect(body).toEqual({
    apiVersion: "v1",
    kind: "ComponentStatusList",
    metadata: {},
    items: [
      { metadata: { name: "controller-manager" }, ...condition("False", { message: "out of memory" }) },
      { metadata: { name: "etcd-0" }, ...condition("True", { message: "ok" }) },
      { metadata: { name: "scheduler" }, ...condition("True", { message: "ok" }) },
    ],
  });
  const type = { apiVersion: "v1", kind: "ComponentStatus" };
  expect((await bed.get(`${url}/scheduler`)).body).toEqual({ ...type, ...body.items[2] });
});

test("selectors match components by name, and none by label", async () => {
  const bed = await startBed({ components });
  expect(namesOf((await bed.get(`${url}?fieldSelector=metadata.name%3Dscheduler`)).body)).toEqual([
    "scheduler",
  ]);
  expect(namesOf((await bed.get(`${url}?labelSelector=a%3Db`)).body)).toEqual([]);
  expect((await bed.get(`${url}?fieldSelector=a%3Db`)).status).toBe(400);
});

test("an unknown component is not found, in upstream's words", async () => {
  const bed = await startBed({ components });
  for (const name of ["x", "constructor"]) {
    const { status, body } = await bed.get(`${url}/${name}`);
    expect(status).toBe(404);
    expect(body.message).toBe(`componentstatus "${name}" not found`);
  }
});

test("a Table shows the health", async () => {
  const bed = await startBed({ components });
  const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
  const { body } = await bed.get(url, { headers: { accept } });
  expect(body.columnDefinitions.map(({ name }: Json) => name)).toEqual([
    "Name",
    "Status",
    "Message",
    "Error",
  ]);
  expect(body.rows.map(({ cells }: Json) => cells)).toEqual([
    ["controller-manager", "Unhealthy", "out of memory", ""],
    ["etcd-0", "Healthy", "ok", ""],
    ["scheduler", "Healthy", "ok", ""],
  ]);
});

test("a store that refuses writes is unhealthy", async () => {
  class FullStore extends MemoryStore {
    override probe() {
      return Promise.reject(new Error("the disk is full"));
    }
  }
  const store = new FullStore({ clock: new VirtualClock(), stamp: new Codec().stamp });
  const bed = await startBed({ store });
  const { body } = await bed.get(url);
  expect(body.items).toMatchObject([
    { metadata: { name: "etcd-0" }, ...condition("False", { error: "the disk is full" }) },
  ]);
});
