import { describe, expect, test } from "vitest";
import { configMaps } from "../api/core/config-map/schema.ts";
import { nodes } from "../api/core/node/schema.ts";
import type { ApiRequest, Handler } from "../meta/exchange.ts";
import { errors } from "../meta/status.ts";
import { seededRandom } from "../util/random.ts";
import { VirtualClock } from "../util/virtual-clock.ts";
import { Client } from "./client.ts";
import { RequestError } from "./errors.ts";
import { InProcessTransport } from "./in-process.ts";
import { retryOnConflict } from "./retry.ts";

const user = { name: "jane", groups: ["people"] };

/** Returns a client that records its requests and answers each with `value`. */
function recorder(value: object = { metadata: {} }) {
  const requests: ApiRequest[] = [];
  const handler: Handler = (request) => {
    requests.push(request);
    return Promise.resolve({ status: 200, headers: {}, body: { type: "object", value } });
  };
  const client = new Client(new InProcessTransport(handler, user), { fieldManager: "tester" });
  const last = () => {
    const { method, path, query, headers, body } = requests.at(-1)!;
    return {
      request: `${method} ${path}${query.size === 0 ? "" : `?${query.toString()}`}`,
      type: headers["content-type"],
      body: body.type === "object" ? body.value : undefined,
    };
  };
  return { client, requests, last };
}

describe("a client", () => {
  test("patches, applies and deletes as upstream's clients do", async () => {
    const { client, last } = recorder();
    const maps = client.of(configMaps, "x");
    await maps.patch("a", [{ op: "remove", path: "/data" }], { type: "json" });
    expect(last()).toMatchObject({
      request: "PATCH /api/v1/namespaces/x/configmaps/a?fieldManager=tester",
      type: "application/json-patch+json",
    });
    await maps.apply({ metadata: { name: "a" }, data: { k: "v" } }, { force: true, fieldManager: "other" });
    expect(last()).toEqual({
      request: "PATCH /api/v1/namespaces/x/configmaps/a?fieldManager=other&force=true",
      type: "application/apply-patch+yaml",
      body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { k: "v" } },
    });
    await maps.delete("a", {
      gracePeriodSeconds: 0,
      propagationPolicy: "Foreground",
      preconditions: { uid: "u" },
      dryRun: true,
    });
    expect(last()).toMatchObject({
      request: "DELETE /api/v1/namespaces/x/configmaps/a",
      body: {
        apiVersion: "v1",
        kind: "DeleteOptions",
        gracePeriodSeconds: 0,
        propagationPolicy: "Foreground",
        preconditions: { uid: "u" },
        dryRun: ["All"],
      },
    });
    await maps.deleteCollection({ labelSelector: "a=b", gracePeriodSeconds: 1 });
    expect(last()).toMatchObject({ request: "DELETE /api/v1/namespaces/x/configmaps?labelSelector=a%3Db" });
  });

  test("addresses status and other subresources", async () => {
    const { client, last } = recorder();
    await client.of(nodes).updateStatus({ metadata: { name: "n" } });
    expect(last().request).toBe("PUT /api/v1/nodes/n/status?fieldManager=tester");
    await client.of(configMaps, "x").subresource("a", "eviction").create({ kind: "Eviction" });
    expect(last().request).toBe("POST /api/v1/namespaces/x/configmaps/a/eviction?fieldManager=tester");
  });

  test("writes to the object's own namespace, and refuses to address one object without a namespace", async () => {
    const { client, last, requests } = recorder();
    await client.of(configMaps).update({ metadata: { name: "a", namespace: "y" } });
    expect(last().request).toBe("PUT /api/v1/namespaces/y/configmaps/a?fieldManager=tester");
    await expect(client.of(configMaps).get("a")).rejects.toThrow(RequestError);
    await expect(client.of(configMaps, "x").delete("")).rejects.toThrow(RequestError);
    expect(requests.length).toBe(1);
  });

  test("returns the server's own objects in the same process", async () => {
    const value = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
    const { client, requests } = recorder(value);
    expect(await client.of(configMaps, "x").get("a")).toBe(value);
    expect(requests[0]?.caller).toEqual({ type: "component", user });
  });

  test("works on resources that are known only at run time", async () => {
    const { client, last } = recorder({ metadata: {}, items: [{ metadata: { name: "a" }, spec: { x: 1 } }] });
    const resource = {
      group: "example.com",
      version: "v1",
      plural: "things",
      namespaced: true,
      kind: "Thing",
    };
    const list = await client.resource(resource).list();
    expect(last().request).toBe("GET /apis/example.com/v1/things");
    expect(list.items).toEqual([
      { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "a" }, spec: { x: 1 } },
    ]);
  });
});

describe("retryOnConflict", () => {
  const conflict = errors.conflict({ group: "", resource: "pods" }, "a", "changed");

  test("tries again after a conflict, at most five times", async () => {
    const env = { clock: new VirtualClock(), random: seededRandom(1) };
    let tries = 0;
    const attempt = (succeedAt: number) => () =>
      ++tries < succeedAt ? Promise.reject(conflict) : Promise.resolve(tries);
    const third = retryOnConflict(attempt(3), env);
    await env.clock.advance(100);
    expect(await third).toBe(3);
    tries = 0;
    const never = expect(retryOnConflict(attempt(99), env)).rejects.toBe(conflict);
    await env.clock.advance(100);
    await never;
    expect(tries).toBe(5);
  });
});
