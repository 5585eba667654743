import { beforeAll, describe, expect, test } from "vitest";
import { type Json } from "../../src/apiserver/server.suite.ts";
import { useHttpsServer } from "../apiserver/https-server.suite.ts";
import { accept, testExchanges } from "./wire.suite.ts";

const server = useHttpsServer();

const aggregated = (version: string, more = "") =>
  `application/json;g=apidiscovery.k8s.io;v=${version}${more};as=APIGroupDiscoveryList`;

describe("aggregated discovery", () => {
  test.each([
    ["v2", `${aggregated("v2")},${aggregated("v2beta1")},application/json`],
    ["v2", `${aggregated("v2")},application/json`],
    ["v2", aggregated("v2", ";profile=nopeer")],
    ["v2", "application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io,application/json"],
    ["v2beta1", `${aggregated("v2beta1")},application/json`],
  ])("has the form %s for a client that accepts %s", async (version, accepted) => {
    const { send } = server();
    for (const path of ["/api", "/apis"]) {
      const { code, headers, json } = await send("GET", path, accept(accepted));
      expect(code).toBe(200);
      // With the type of plain JSON, clients would read the answer as empty lists.
      const [type, ...parameters] = (headers["content-type"] ?? "").split(";");
      expect(type).toBe("application/json");
      expect(parameters.toSorted()).toEqual([
        "as=APIGroupDiscoveryList",
        "g=apidiscovery.k8s.io",
        `v=${version}`,
      ]);
      expect(json).toMatchObject({
        kind: "APIGroupDiscoveryList",
        apiVersion: `apidiscovery.k8s.io/${version}`,
        metadata: {},
      });
    }
  });

  test("can be revalidated, until what is served changes", async () => {
    const { send, bed } = server();
    const headers = { accept: aggregated("v2") };
    for (const path of ["/api", "/apis"]) {
      const first = await send("GET", path, { headers });
      expect(first.headers).toMatchObject({ vary: "Accept", "cache-control": "public" });
      const { etag = "" } = first.headers;
      expect(etag).toMatch(/^"[0-9A-F]{128}"$/);
      const again = await send("GET", path, { headers: { ...headers, "if-none-match": etag } });
      expect(again).toMatchObject({ code: 304, text: "", headers: { etag } });
      expect((await send("GET", path, { headers: { ...headers, "if-none-match": '"X"' } })).code).toBe(200);
    }
    const before = await send("GET", "/apis", { headers });
    const schema = { openAPIV3Schema: { type: "object" } };
    await bed.make("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
      metadata: { name: "crons.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: "crons", kind: "Cron" },
        versions: [{ name: "v1", served: true, storage: true, schema }],
      },
    });
    await bed.clock.settle();
    const etag = before.headers["etag"] ?? "";
    const after = await send("GET", "/apis", { headers: { ...headers, "if-none-match": etag } });
    expect(after.code).toBe(200);
    expect(after.headers["etag"]).not.toBe(etag);
  });

  test("lists groups, versions, resources and subresources, the core group without a name", async () => {
    const { send } = server();
    const { json: core } = await send("GET", "/api", accept(aggregated("v2")));
    expect(core.items).toHaveLength(1);
    const [{ metadata, versions }] = core.items;
    expect([metadata, versions[0].version, versions[0].freshness]).toEqual([{}, "v1", "Current"]);
    const pods = versions[0].resources.find(({ resource }: Json) => resource === "pods");
    expect(pods).toMatchObject({
      responseKind: { group: "", version: "v1", kind: "Pod" },
      scope: "Namespaced",
      singularResource: "pod",
      verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
      shortNames: ["po"],
      categories: ["all"],
    });
    const eviction = pods.subresources.find(({ subresource }: Json) => subresource === "eviction");
    expect(eviction).toEqual({
      subresource: "eviction",
      responseKind: { group: "policy", version: "v1", kind: "Eviction" },
      verbs: ["create"],
    });
    const { json: others } = await send("GET", "/apis", accept(aggregated("v2")));
    const apps = others.items.find(({ metadata }: Json) => metadata.name === "apps");
    expect(apps.metadata).toEqual({ name: "apps" });
    const nodes = versions[0].resources.find(({ resource }: Json) => resource === "nodes");
    expect(nodes.scope).toBe("Cluster");
  });
});

describe("legacy discovery", () => {
  testExchanges(server, [
    [
      "/api lists versions",
      "GET",
      "/api",
      {},
      { code: 200, json: { kind: "APIVersions", versions: ["v1"] } },
    ],
    [
      "/apis/<group> shows the preferred version first",
      "GET",
      "/apis/autoscaling",
      {},
      {
        code: 200,
        json: {
          kind: "APIGroup",
          apiVersion: "v1",
          name: "autoscaling",
          versions: [{ groupVersion: "autoscaling/v2" }, { groupVersion: "autoscaling/v1" }],
          preferredVersion: { groupVersion: "autoscaling/v2", version: "v2" },
        },
      },
    ],
    ...["/apis/none", "/apis/apps/v9", "/api/v2"].map(
      (path) =>
        [`${path} is not found`, "GET", path, {}, { code: 404, json: { reason: "NotFound" } }] as const,
    ),
    [
      "/version describes the server",
      "GET",
      "/version",
      {},
      {
        code: 200,
        json: {
          major: "1",
          minor: "36",
          gitVersion: expect.stringMatching(/^v1\.36\.\d+/),
          platform: expect.stringMatching(/^linux\//),
          ...Object.fromEntries(
            ["gitCommit", "gitTreeState", "buildDate", "goVersion", "compiler"].map((name) => [
              name,
              expect.any(String),
            ]),
          ),
        },
      },
    ],
  ]);

  const resources = new Map<string, Json>();
  beforeAll(async () => {
    const { send } = server();
    const { groups } = (await send("GET", "/apis")).json;
    const versions = groups.flatMap(({ versions }: Json) =>
      versions.map(({ groupVersion }: Json) => groupVersion),
    );
    for (const path of ["/api/v1", ...versions.map((one: string) => `/apis/${one}`)]) {
      const list = (await send("GET", path)).json;
      expect(list).toMatchObject({ kind: "APIResourceList", groupVersion: path.replace(/^\/apis?\//, "") });
      for (const one of list.resources) resources.set(`${list.groupVersion} ${one.name}`, one);
    }
  });

  test.each([
    ["v1 pods/binding", undefined, undefined, "Binding", ["create"]],
    ["v1 pods/eviction", "policy", "v1", "Eviction", ["create"]],
    ["v1 pods/exec", undefined, undefined, "PodExecOptions", ["create", "get"]],
    ["v1 pods/attach", undefined, undefined, "PodAttachOptions", ["create", "get"]],
    ["v1 pods/portforward", undefined, undefined, "PodPortForwardOptions", ["create", "get"]],
    ["v1 pods/log", undefined, undefined, "Pod", ["get"]],
    ["v1 pods/status", undefined, undefined, "Pod", ["get", "patch", "update"]],
    ["v1 pods/ephemeralcontainers", undefined, undefined, "Pod", ["get", "patch", "update"]],
    ["v1 pods/resize", undefined, undefined, "Pod", ["get", "patch", "update"]],
    ["v1 serviceaccounts/token", "authentication.k8s.io", "v1", "TokenRequest", ["create"]],
    ["v1 namespaces/finalize", undefined, undefined, "Namespace", ["update"]],
    ["v1 replicationcontrollers/scale", "autoscaling", "v1", "Scale", ["get", "patch", "update"]],
    ["apps/v1 deployments/scale", "autoscaling", "v1", "Scale", ["get", "patch", "update"]],
    ["apps/v1 statefulsets/scale", "autoscaling", "v1", "Scale", ["get", "patch", "update"]],
  ])("%s is of group %s, version %s and kind %s, with the verbs %j", (name, group, version, kind, verbs) => {
    const found = resources.get(name);
    expect(found).toMatchObject({ kind, verbs, singularName: "" });
    expect([found.group, found.version]).toEqual([group, version]);
  });

  // Taken from upstream: the hash of group, version and kind as they are stored.
  test.each([
    ["v1 configmaps", "qFsyl6wFWjQ="],
    ["v1 pods", "xPOwRZ+Yhw8="],
    ["v1 events", "r2yiGXH7wu8="],
    ["events.k8s.io/v1 events", "r2yiGXH7wu8="],
    ["autoscaling/v1 horizontalpodautoscalers", "qwQve8ut294="],
    ["autoscaling/v2 horizontalpodautoscalers", "qwQve8ut294="],
    ["apps/v1 deployments", "8aSe+NMegvE="],
    ["coordination.k8s.io/v1 leases", "gqkMMb/YqFM="],
    ["v1 bindings", undefined],
    ["authorization.k8s.io/v1 subjectaccessreviews", undefined],
    ["v1 pods/status", undefined],
  ])("%s has the storageVersionHash %s", (name, hash) => {
    expect(resources.get(name)?.storageVersionHash).toBe(hash);
  });

  test("agrees with aggregated discovery", async () => {
    const { send } = server();
    const rows: string[] = [];
    for (const path of ["/api", "/apis"]) {
      const { items } = (await send("GET", path, accept(aggregated("v2")))).json;
      for (const { metadata, versions } of items)
        for (const { version, resources: all } of versions)
          for (const { resource, verbs, subresources = [] } of all) {
            const place = `${metadata.name === undefined ? "" : `${metadata.name}/`}${version} ${resource}`;
            rows.push(`${place} ${verbs}`);
            for (const part of subresources) rows.push(`${place}/${part.subresource} ${part.verbs}`);
          }
    }
    const legacy = [...resources]
      .filter(([name]) => !name.startsWith("example.com"))
      .map(([name, { verbs }]) => `${name} ${verbs}`);
    expect(rows.filter((row) => !row.startsWith("example.com")).toSorted()).toEqual(legacy.toSorted());
  });
});
