import { beforeAll, describe, expect, test } from "vitest";
import { definition, definitionsUrl, specOf, version } from "../../src/apiserver/crd/definitions.suite.ts";
import { type Json } from "../../src/apiserver/server.suite.ts";
import { useHttpsServer } from "../apiserver/https-server.suite.ts";
import {
  accept,
  applyPatch,
  as,
  type Exchange,
  json,
  mergePatch,
  merge,
  protobuf,
  testExchanges,
} from "./wire.suite.ts";

const server = useHttpsServer();

const schema = specOf(
  {
    at: { type: "string", default: "noon" },
    when: { type: "string" },
    replicas: { type: "integer", minimum: 0 },
  },
  {},
);
schema.properties.status = {
  type: "object",
  properties: { replicas: { type: "integer" }, selector: { type: "string" } },
};
const scalePaths = {
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelectorPath: ".status.selector",
};
const crons = "/apis/example.com/v1/namespaces/default/crons";
const cron = (name: string, spec: object = {}, metadata: object = {}) => ({
  apiVersion: "example.com/v1",
  kind: "Cron",
  metadata: { name, ...metadata },
  spec,
});

beforeAll(async () => {
  const { send, bed } = server();
  const column = (name: string, type: string, jsonPath: string) => ({ name, type, jsonPath });
  const body = definition({
    names: { shortNames: ["cr"], categories: ["all"] },
    versions: [
      version("v1", {
        storage: true,
        schema,
        subresources: { status: {}, scale: scalePaths },
        additionalPrinterColumns: [
          column("At", "string", ".spec.at"),
          column("When", "date", ".spec.when"),
          column("Replicas", "integer", ".spec.replicas"),
        ],
        selectableFields: [{ jsonPath: ".spec.at" }],
      }),
      version("v1beta1", { deprecated: true }),
      version("v1alpha1", { deprecated: true, deprecationWarning: 'Cron of v1alpha1 is "going"' }),
    ],
  });
  expect((await send("POST", definitionsUrl, json(body))).code).toBe(201);
  await bed.clock.settle();
  await bed.make(crons, cron("one", { replicas: 2 }));
  await bed.make(crons, cron("two", { at: "two", when: "2025-12-31T23:59:00Z" }));
});

describe("a definition", () => {
  test("has the conditions of an accepted and established definition, with its names and versions", async () => {
    const { json } = await server().send("GET", `${definitionsUrl}/crons.example.com`);
    const { conditions, acceptedNames, storedVersions } = json.status;
    expect(conditions.map(({ type, status, reason }: Json) => [type, status, reason])).toEqual([
      ["NamesAccepted", "True", "NoConflicts"],
      ["Established", "True", "InitialNamesAccepted"],
    ]);
    expect(acceptedNames).toEqual({
      plural: "crons",
      singular: "cron",
      kind: "Cron",
      listKind: "CronList",
      shortNames: ["cr"],
      categories: ["all"],
    });
    expect(storedVersions).toEqual(["v1"]);
  });

  test("is in discovery with its names, categories and subresources", async () => {
    const { resources } = (await server().send("GET", "/apis/example.com/v1")).json;
    expect(resources).toMatchObject([
      { name: "crons", shortNames: ["cr"], categories: ["all"], storageVersionHash: expect.any(String) },
      { name: "crons/status", kind: "Cron" },
      { name: "crons/scale", group: "autoscaling", version: "v1", kind: "Scale" },
    ]);
  });
});

describe("a custom resource", () => {
  testExchanges(server, [
    [
      "is pruned of unknown fields, with a warning",
      "POST",
      `${crons}?dryRun=All`,
      json(cron("x", { other: 1 })),
      {
        code: 201,
        headers: { warning: String.raw`299 - "unknown field \"spec.other\""` },
        json: { spec: { at: "noon" } },
      },
    ],
    [
      "is refused for an unknown field under strict validation",
      "POST",
      `${crons}?fieldValidation=Strict`,
      json(cron("x", { other: 1 })),
      { code: 400, message: /strict decoding error: unknown field "spec\.other"$/ },
    ],
    [
      "is refused when a value violates the schema",
      "POST",
      crons,
      json(cron("x", { replicas: -1 })),
      {
        code: 422,
        message:
          'Cron.example.com "x" is invalid: [spec.replicas: Invalid value: -1: spec.replicas in body should be greater than or equal to 0, .spec.replicas: Invalid value: -1: should be a non-negative integer]',
      },
    ],
    [
      "is not updated without a resourceVersion",
      "PUT",
      `${crons}/one`,
      json(cron("one")),
      { code: 422, message: /metadata\.resourceVersion: Invalid value: 0: must be specified for an update$/ },
    ],
    [
      "may come in YAML",
      "POST",
      `${crons}?dryRun=All`,
      as("application/yaml", "apiVersion: example.com/v1\nkind: Cron\nmetadata: {name: yaml}\n"),
      { code: 201 },
    ],
    ["does not come in protobuf", "POST", crons, as(protobuf, Buffer.from("k8s\0")), { code: 415 }],
    [
      "is returned in JSON to a client that prefers protobuf",
      "GET",
      `${crons}/one`,
      accept(`${protobuf}, application/json`),
      { code: 200, headers: { "content-type": "application/json" }, json: { kind: "Cron" } },
    ],
    [
      "is not returned to a client that accepts only protobuf",
      "GET",
      `${crons}/one`,
      accept(protobuf),
      { code: 406 },
    ],
    [
      "accepts no strategic merge patch",
      "PATCH",
      `${crons}/one`,
      as("application/strategic-merge-patch+json", {}),
      {
        code: 415,
        message: `the body of the request was in an unknown format - accepted media types include: application/json-patch+json, ${mergePatch}, ${applyPatch}`,
      },
    ],
    ...(
      [
        ["POST", json(cron("x"))],
        ["DELETE", {}],
      ] as const
    ).map(([method, call]): Exchange => [
      `has no ${method} in all namespaces: 404`,
      method,
      "/apis/example.com/v1/crons",
      call,
      { code: 404 },
    ]),
    ["is not found in a version that is not served", "GET", crons.replace("v1", "v9"), {}, { code: 404 }],
  ]);
});

describe("a deprecated version", () => {
  test.each([
    ["v1", undefined],
    ["v1beta1", '299 - "example.com/v1beta1 Cron is deprecated; use example.com/v1 Cron"'],
    ["v1alpha1", String.raw`299 - "Cron of v1alpha1 is \"going\""`],
  ])("%s warns: %s", async (name, warning) => {
    const { send } = server();
    const url = crons.replace("v1", name);
    for (const path of [url, `${url}/one`])
      expect((await send("GET", path)).headers["warning"]).toBe(warning);
  });
});

describe("the subresources of a custom resource", () => {
  const url = `${crons}/one`;
  testExchanges(server, [
    [
      "a write of the status changes nothing else",
      "PATCH",
      `${url}/status`,
      merge({ spec: { at: "x" }, status: { replicas: 1, selector: "a=b" } }),
      { code: 200, json: { spec: { at: "noon" }, status: { replicas: 1 }, metadata: { generation: 1 } } },
    ],
    [
      "a write of the object leaves the status",
      "PATCH",
      url,
      merge({ spec: { at: "one" }, status: { replicas: 9 } }),
      { code: 200, json: { spec: { at: "one" }, status: { replicas: 1 }, metadata: { generation: 2 } } },
    ],
    [
      "a label does not change the generation",
      "PATCH",
      url,
      merge({ metadata: { labels: { a: "b" } } }),
      { code: 200, json: { metadata: { generation: 2 } } },
    ],
    [
      "the scale shows the values at its paths",
      "GET",
      `${url}/scale`,
      {},
      { code: 200, json: { kind: "Scale", spec: { replicas: 2 }, status: { replicas: 1, selector: "a=b" } } },
    ],
    [
      "the scale is set by PUT, for any revision",
      "PUT",
      `${url}/scale`,
      json({ metadata: { name: "one" }, spec: { replicas: 3 } }),
      { code: 200, json: { spec: { replicas: 3 } } },
    ],
    [
      "the scale is validated by the schema",
      "PATCH",
      `${url}/scale`,
      merge({ spec: { replicas: -3 } }),
      { code: 422 },
    ],
    [
      "a version without subresources has none",
      "GET",
      `${crons.replace("v1", "v1beta1")}/one/status`,
      {},
      { code: 404 },
    ],
  ]);
});

describe("columns and fields", () => {
  test("a cell without a value is null, and a date is an age", async () => {
    const table = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const { json } = await server().send("GET", crons, accept(table));
    expect(json.columnDefinitions.map(({ name, type }: Json) => [name, type])).toEqual([
      ["Name", "string"],
      ["At", "string"],
      ["When", "date"],
      ["Replicas", "integer"],
    ]);
    expect(json.rows.map(({ cells }: Json) => cells)).toEqual([
      ["one", "one", null, 3],
      ["two", "two", "60s", null],
    ]);
  });

  testExchanges(server, [
    [
      "a declared field can be selected by",
      "GET",
      `${crons}?fieldSelector=spec.at%3Dtwo`,
      {},
      { code: 200, json: { items: [{ metadata: { name: "two" } }] } },
    ],
    [
      "others cannot",
      "GET",
      `${crons}?fieldSelector=spec.when%3Dx`,
      {},
      { code: 400, message: "field label not supported: spec.when" },
    ],
  ]);
});
