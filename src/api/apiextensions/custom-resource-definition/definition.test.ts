import { describe, expect, test } from "vitest";
import { describe as text, type FieldError, invalid } from "../../../meta/field-error.ts";
import { errorsIn } from "../../../meta/errors-in.suite.ts";
import { change, create, load, type Manifest } from "../../pipeline.suite.ts";
import type { RuleChecker, RuleSite } from "../schema/cel.ts";
import type { CustomResourceDefinition } from "./schema.ts";
import { validateNewDefinition } from "./validation.ts";

const schemaPath = "spec.versions.0.schema.openAPIV3Schema";

const definition = (properties: object): Manifest => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "crontabs.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "crontabs", kind: "CronTab" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", properties } },
      },
    ],
  },
});

function storedProperties(properties: object): unknown {
  const { versions } = (load(definition(properties)) as unknown as CustomResourceDefinition).spec;
  return versions[0]?.schema?.openAPIV3Schema?.properties;
}

describe("nested schemas", () => {
  test("are in canonical form at every level", () => {
    const given = { unknown: 1, nullable: false, type: "string" };
    const nested = { type: "array", items: { type: "object", additionalProperties: given } };
    expect(
      storedProperties({ a: nested, b: { not: { items: given } }, c: { additionalProperties: true } }),
    ).toEqual({
      a: { type: "array", items: { type: "object", additionalProperties: { type: "string" } } },
      b: { not: { items: { type: "string" } } },
      c: { additionalProperties: true },
    });
  });

  test.each([
    [{ additionalProperties: "yes" }, "boolean or JSON schema expected"],
    [
      { items: { type: 5 } },
      "json: cannot unmarshal number into Go struct field JSONSchemaProps.type of type string",
    ],
  ])("of the wrong type are refused: %j", (property, problem) => {
    expect(() => load(definition({ a: property }))).toThrow(problem);
  });

  test("keep null among enum values", () => {
    expect(storedProperties({ a: { enum: [null, 1] } })).toEqual({ a: { enum: [null, 1] } });
  });
});

describe("CEL rules", () => {
  const rules = [{ rule: "self" }];
  const rule = (more: object) => ({ ...more, "x-kubernetes-validations": rules });

  function checked(properties: object): {
    readonly sites: readonly RuleSite[];
    readonly errors: readonly string[];
  } {
    const sites: RuleSite[] = [];
    const wrong = (site: RuleSite): readonly FieldError[] => [invalid(site.path, "self", "does not compile")];
    const checker: RuleChecker = () => ({
      checkRules: (site) => (sites.push(site), wrong(site)),
      checkDefault: () => [],
      checkTotal: (path) => [invalid(path, "", "costs too much")],
    });
    const { object } = create(definition(properties));
    const found = validateNewDefinition(object as unknown as CustomResourceDefinition, checker);
    return { sites, errors: errorsIn(found).map(text) };
  }

  test("are passed to the checker with the path of schemas above them", () => {
    const { sites, errors } = checked({
      list: { type: "array", maxItems: 2, items: rule({ type: "string" }) },
      map: { type: "object", additionalProperties: rule({ type: "string" }) },
    });
    const root = "spec.validation.openAPIV3Schema";
    expect(
      sites.map(({ path, steps, uncorrelatable }) => [
        path.toString(),
        steps.map(({ by }) => by),
        uncorrelatable?.toString(),
      ]),
    ).toEqual([
      [`${root}.properties[list].items`, ["root", { property: "list" }, "items"], `${root}.properties[list]`],
      [
        `${root}.properties[map].additionalProperties`,
        ["root", { property: "map" }, "additionalProperties"],
        undefined,
      ],
    ]);
    expect(errors).toEqual([
      `${root}.properties[list].items: Invalid value: "self": does not compile`,
      `${root}.properties[map].additionalProperties: Invalid value: "self": does not compile`,
      `${root}: Invalid value: "": costs too much`,
    ]);
  });

  test("are not checked while the schema itself is invalid", () => {
    const { sites } = checked({
      a: rule({ type: "string", uniqueItems: true }),
      b: rule({ type: "string" }),
    });
    expect(sites.map(({ path }) => path.toString())).toEqual([
      "spec.validation.openAPIV3Schema.properties[b]",
    ]);
    expect(checked({ a: rule({}) }).sites).toEqual([]);
  });
});

test("errors are reported at the path shared by all versions, or in the version", () => {
  const one = definition({ a: { type: "int" } });
  expect(create(one).errors).toEqual([
    'spec.validation.openAPIV3Schema.properties[a].type: Unsupported value: "int": supported values: "array", "boolean", "integer", "number", "object", "string"',
  ]);
  const other = { name: "v2", served: true, storage: false, schema: { openAPIV3Schema: { type: "object" } } };
  expect(create(change(one, "spec.versions.1", other)).errors).toEqual([
    'spec.versions[0].schema.openAPIV3Schema.properties[a].type: Unsupported value: "int": supported values: "array", "boolean", "integer", "number", "object", "string"',
  ]);
  expect(create(change(one, `${schemaPath}.properties.a.type`, "integer")).errors).toEqual([]);
});
