import { expect, test } from "vitest";
import { registrations } from "../../api/registrations.ts";
import type { ApiResponse } from "../../meta/exchange.ts";
import type { Registration } from "../../meta/strategy.ts";
import { systemClock } from "../../util/clock.ts";
import type { Env } from "../../util/env.ts";
import { systemRandom } from "../../util/random.ts";
import { ResourceTable, ServedResource } from "../resources/served.ts";
import { plansOf } from "./documents.ts";
import { serveOpenApi } from "./serve.ts";

type Json = { readonly [key: string]: Json };

const served = registrations.map((registration) => new ServedResource(registration));
const documents = new Map(
  [...plansOf(served)].map(([path, { build }]) => [path, JSON.parse(JSON.stringify(build())) as Json]),
);

function definition(document: string, name: string): Json | undefined {
  return documents.get(document)?.["components"]?.["schemas"]?.[name];
}

function operation(document: string, path: string, method: string): Json | undefined {
  return documents.get(document)?.["paths"]?.[path]?.[method];
}

test("every reference in every document leads to a definition", () => {
  let references = 0;
  for (const [path, document] of documents) {
    const defined = new Set(Object.keys(document["components"]?.["schemas"] ?? {}));
    for (const [, name = ""] of JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      expect(defined, path).toContain(name);
      references += 1;
    }
  }
  expect(references).toBeGreaterThan(2000);
});

test("every operation has a unique ID", () => {
  for (const document of documents.values()) {
    const ids = [...JSON.stringify(document).matchAll(/"operationId":"([^"]+)"/g)].map(([, id]) => id);
    expect(ids.length).toBeGreaterThan(0);
    expect(new Set(ids).size).toBe(ids.length);
  }
});

test("lists have the extensions of apply and strategic merge", () => {
  const container = definition("api/v1", "io.k8s.api.core.v1.Container")?.["properties"];
  expect(container?.["ports"]).toMatchObject({
    type: "array",
    items: { allOf: [{ $ref: "#/components/schemas/io.k8s.api.core.v1.ContainerPort" }], default: {} },
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["containerPort", "protocol"],
    "x-kubernetes-patch-merge-key": "containerPort",
    "x-kubernetes-patch-strategy": "merge",
  });
  const podSpec = definition("api/v1", "io.k8s.api.core.v1.PodSpec")?.["properties"];
  expect(podSpec?.["volumes"]).toMatchObject({
    "x-kubernetes-patch-merge-key": "name",
    "x-kubernetes-patch-strategy": "merge,retainKeys",
  });
});

test("fields show their type, default and whether they are required, as upstream", () => {
  const port = definition("api/v1", "io.k8s.api.core.v1.ContainerPort");
  expect(port?.["required"]).toEqual(["containerPort"]);
  expect(port?.["properties"]?.["containerPort"]).toMatchObject({
    type: "integer",
    format: "int32",
    default: 0,
  });
  expect(port?.["properties"]?.["protocol"]).toMatchObject({ default: "TCP", enum: ["SCTP", "TCP", "UDP"] });
  const deployment = definition("apis/apps/v1", "io.k8s.api.apps.v1.DeploymentSpec");
  expect(deployment?.["required"]).toEqual(["selector", "template"]);
  const resources = definition("api/v1", "io.k8s.api.core.v1.ResourceRequirements")?.["properties"];
  const quantity = { $ref: "#/components/schemas/io.k8s.apimachinery.pkg.api.resource.Quantity" };
  expect(resources?.["limits"]?.["additionalProperties"]).toEqual(quantity);
  const selector = definition("api/v1", "io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector");
  expect(selector?.["x-kubernetes-map-type"]).toBe("atomic");
});

test("kinds have their group, version and kind, even in another group's document", () => {
  const claim = definition("apis/apps/v1", "io.k8s.api.core.v1.PersistentVolumeClaim");
  expect(claim?.["x-kubernetes-group-version-kind"]).toEqual([
    { group: "", version: "v1", kind: "PersistentVolumeClaim" },
  ]);
  expect(claim?.["properties"]).toHaveProperty("apiVersion");
  expect(definition("api/v1", "io.k8s.api.core.v1.PodSpec")?.["properties"]).not.toHaveProperty("apiVersion");
});

test("a patch has fieldValidation in the operation itself, where kubectl reads it", () => {
  const patch = operation("apis/apps/v1", "/apis/apps/v1/namespaces/{namespace}/deployments/{name}", "patch");
  expect(patch?.["x-kubernetes-group-version-kind"]).toEqual({
    group: "apps",
    version: "v1",
    kind: "Deployment",
  });
  expect(patch?.["operationId"]).toBe("patchAppsV1NamespacedDeployment");
  expect(Object.values(patch?.["parameters"] ?? {})).toContainEqual(
    expect.objectContaining({ name: "fieldValidation", in: "query" }),
  );
  expect(patch?.["requestBody"]?.["content"]).toHaveProperty(["application/strategic-merge-patch+json"]);
});

test("subresources have paths with their kind", () => {
  const pod = "/api/v1/namespaces/{namespace}/pods/{name}";
  const eviction = operation("api/v1", `${pod}/eviction`, "post");
  expect(eviction?.["x-kubernetes-group-version-kind"]).toEqual({
    group: "policy",
    version: "v1",
    kind: "Eviction",
  });
  expect(operation("api/v1", `${pod}/exec`, "get")?.["operationId"]).toBe(
    "connectCoreV1GetNamespacedPodExec",
  );
  expect(operation("api/v1", `${pod}/log`, "get")?.["operationId"]).toBe("readCoreV1NamespacedPodLog");
  const scale = "/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale";
  expect(operation("apis/apps/v1", scale, "put")?.["operationId"]).toBe(
    "replaceAppsV1NamespacedDeploymentScale",
  );
});

const silent = { debug() {}, info() {}, warn() {}, error() {}, with: () => silent };
const env: Env = { clock: systemClock, random: systemRandom, log: silent };

function serverOf(kinds: readonly Registration[]) {
  const resources = new ResourceTable(kinds);
  return (url: string, headers: Record<string, string> = {}): Promise<ApiResponse> => {
    const { pathname, searchParams: query } = new URL(url, "https://knarr");
    const request = {
      method: "GET",
      path: pathname,
      query,
      headers,
      body: { type: "none" },
      caller: { type: "connection", address: "" },
      signal: new AbortController().signal,
    } as const;
    return serveOpenApi({ request, services: { env, resources } }, pathname.split("/").slice(2));
  };
}

const get = serverOf(registrations);

/** The URL that the index has for a document. */
async function urlOf(path: string): Promise<string> {
  const { body } = await get("/openapi/v3");
  if (body.type !== "object") throw new TypeError("the index is no object");
  const { paths } = body.value as { paths: Record<string, { serverRelativeURL: string }> };
  return paths[path]?.serverRelativeURL ?? "";
}

test("a document may be cached forever under the URL in the index", async () => {
  const response = await get(await urlOf("apis/apps/v1"));
  expect(response.status).toBe(200);
  expect(response.headers["cache-control"]).toBe("public, immutable");
  expect(Date.parse(response.headers["expires"] ?? "")).toBeGreaterThan(env.clock.now() + 300 * 24 * 3600e3);
  const { etag = "" } = response.headers;
  expect(await urlOf("apis/apps/v1")).toBe(`/openapi/v3/apis/apps/v1?hash=${etag.slice(1, -1)}`);
});

test("a URL with an old hash redirects to the present one", async () => {
  const response = await get("/openapi/v3/apis/apps/v1?hash=OLD");
  expect(response.status).toBe(301);
  expect(response.headers["location"]).toBe(await urlOf("apis/apps/v1"));
});

test("a client with the present document gets 304", async () => {
  const first = await get("/openapi/v3/api/v1");
  const response = await get("/openapi/v3/api/v1", { "if-none-match": first.headers["etag"] ?? "" });
  expect([response.status, response.body.type]).toEqual([304, "empty"]);
  expect(first.headers["cache-control"]).toBeUndefined();
});

test("a document is encoded once for the same resources", async () => {
  const { body: first } = await get("/openapi/v3/api/v1");
  const { body: second } = await get("/openapi/v3/api/v1");
  expect(first.type === "bytes" && second.type === "bytes" && first.bytes === second.bytes).toBe(true);
  const some = serverOf(registrations.filter(({ kind }) => kind.plural !== "deployments"));
  const [fewer, all] = await Promise.all([some, get].map((ask) => ask("/openapi/v3/apis/apps/v1")));
  expect(fewer?.headers["etag"]).not.toBe(all?.headers["etag"]);
});

test("an unknown group is not found", async () => {
  await expect(get("/openapi/v3/apis/none/v1")).rejects.toThrow("could not find the requested resource");
});

const protobuf = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

test.each([
  ["", "application/json"],
  ["*/*", "application/json"],
  [protobuf, protobuf.replace("@", ".")],
  [protobuf.replace("@", "."), protobuf.replace("@", ".")],
  [`application/json;q=0.1,${protobuf};q=0.2`, protobuf.replace("@", ".")],
])("a client that accepts %o gets v2 as %s", async (accept, contentType) => {
  const { status, headers, body } = await get("/openapi/v2", { accept });
  expect([status, body]).toMatchObject([200, { contentType }]);
  expect(headers["vary"]).toBe("Accept");
  const again = await get("/openapi/v2", { accept, "if-none-match": headers["etag"] ?? "" });
  expect(again).toEqual({ status: 304, headers, body: { type: "empty" } });
});

test("v3 has its own protobuf", async () => {
  const accept = protobuf.replace("v2", "v3");
  const { body } = await get("/openapi/v3/apis/apps/v1", { accept });
  expect(body).toMatchObject({ contentType: accept.replace("@", ".") });
  await expect(get("/openapi/v3/api/v1", { accept: protobuf })).rejects.toThrow("the following media types");
});

test.each(["application/yaml", "application/com.github.proto-openapi.spec.v2.v1.0+json"])(
  "v2 in %s is not acceptable",
  async (accept) => {
    await expect(get("/openapi/v2", { accept })).rejects.toThrow("the following media types are accepted");
  },
);
