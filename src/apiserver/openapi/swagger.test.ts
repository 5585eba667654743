import { describe, expect, test } from "vitest";
import { registrations } from "../../api/registrations.ts";
import { ServedResource } from "../resources/served.ts";
import { plansOf } from "./documents.ts";
import type { SchemaObject } from "./schema-object.ts";
import { swaggerOf } from "./swagger-document.ts";
import { swaggerPath } from "./swagger-paths.ts";
import { swaggerSchema } from "./swagger-schema.ts";

const reference = { $ref: "#/components/schemas/Thing" };

describe("a schema in Swagger 2.0", () => {
  test.for<[what: string, schema: SchemaObject, swagger: SchemaObject]>([
    [
      "has references with siblings",
      { allOf: [reference], description: "x" },
      { $ref: "#/definitions/Thing", description: "x" },
    ],
    ["has no defaults", { type: "string", default: "x" }, { type: "string" }],
    ["takes a quantity as text", { oneOf: [{ type: "string" }, { type: "number" }] }, { type: "string" }],
    [
      "has no type for an integer or string",
      { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
      { "x-kubernetes-int-or-string": true },
    ],
    [
      "does not require nullable fields",
      {
        type: "object",
        required: ["a", "b"],
        properties: { a: { type: "object", nullable: true, properties: {} }, b: { type: "string" } },
      },
      { type: "object", required: ["b"], properties: { a: {}, b: { type: "string" } } },
    ],
    [
      "has no properties where unknown fields are preserved",
      { type: "object", properties: { a: reference }, "x-kubernetes-preserve-unknown-fields": true },
      { "x-kubernetes-preserve-unknown-fields": true },
    ],
    ["does not name a list of unknown items", { type: "array" }, {}],
    [
      "converts lists and maps",
      { type: "array", items: { type: "object", additionalProperties: { type: "string", default: "" } } },
      { type: "array", items: { type: "object", additionalProperties: { type: "string" } } },
    ],
  ])("%s", ([, schema, swagger]) => {
    expect(swaggerSchema(schema)).toEqual(swagger);
  });
});

test("a body becomes a parameter, and media types are on the operation", () => {
  const content = { "application/json": { schema: reference }, "application/yaml": { schema: reference } };
  const name = { name: "name", in: "path", required: true, schema: { type: "string", uniqueItems: true } };
  const put = {
    operationId: "replace",
    requestBody: { content: { "*/*": { schema: reference } }, required: true },
    responses: { "200": { description: "OK", content }, "401": { description: "Unauthorized" } },
  };
  const schema = { $ref: "#/definitions/Thing" };
  expect(swaggerPath({ put, parameters: [name] })).toEqual({
    put: {
      operationId: "replace",
      consumes: ["*/*"],
      produces: ["application/json", "application/yaml"],
      schemes: ["https"],
      parameters: [{ name: "body", in: "body", required: true, schema }],
      responses: { "200": { description: "OK", schema }, "401": { description: "Unauthorized" } },
    },
    parameters: [{ name: "name", in: "path", required: true, type: "string", uniqueItems: true }],
  });
});

test("one document has all paths, and definitions have the kinds of all documents", async () => {
  const plans = plansOf(registrations.map((registration) => new ServedResource(registration)));
  const swagger = (await swaggerOf(plans.values())) as Record<string, Record<string, SchemaObject>>;
  const paths = [...plans.values()].flatMap(({ build }) => Object.keys(build()["paths"] as object));
  expect(Object.keys(swagger["paths"] ?? {})).toEqual(paths.sort());
  const options = swagger["definitions"]?.["io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"];
  const kinds = options?.["x-kubernetes-group-version-kind"];
  expect(kinds).toContainEqual({ group: "", version: "v1", kind: "DeleteOptions" });
  expect(kinds).toContainEqual({ group: "apps", version: "v1", kind: "DeleteOptions" });
  const defined = new Set(Object.keys(swagger["definitions"] ?? {}));
  for (const [, name = ""] of JSON.stringify(swagger).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    expect(defined).toContain(name.replace("definitions/", ""));
  }
});
