import { describe, expect, test } from "vitest";
import type { JSONSchemaProps } from "../../api/apiextensions/custom-resource-definition/json-schema-props.ts";
import { atOnce } from "../../util/steps.ts";
import { schemaOfKind, SchemaTooLargeError } from "./open-api.ts";
import { typeWarnings } from "./type-check.ts";

const deployment = { group: "apps", version: "v1", kind: "Deployment" };
const text = { type: "string" };
const object = (properties: Readonly<Record<string, JSONSchemaProps>>): JSONSchemaProps => ({
  type: "object",
  properties,
});

interface Policy {
  readonly expression: string;
  readonly messageExpression?: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly params?: JSONSchemaProps;
}

function warningsOf(schema: JSONSchemaProps, ...policies: readonly Policy[]) {
  const validations = policies.map(({ expression, messageExpression }) => ({
    expression,
    ...(messageExpression === undefined ? {} : { messageExpression }),
  }));
  const variables = Object.entries(policies[0]?.variables ?? {}).map(([name, expression]) => ({
    name,
    expression,
  }));
  const [params] = policies.flatMap((one) => one.params ?? []);
  const kinds = {
    matched: [{ kind: deployment, schema }],
    params: params && { kind: { group: "", version: "v1", kind: "Any" }, schema: params },
  };
  return atOnce(typeWarnings({ validations, variables }, kinds, 0));
}

describe("warnings (upstream's TestTypeCheck)", () => {
  test.each<[string, JSONSchemaProps, readonly Policy[], readonly [string, string][]]>([
    ["a known field", object({ foo: text }), [{ expression: "object.foo == 'bar'" }], []],
    [
      "an undefined field",
      object({ bar: text }),
      [{ expression: "object.foo == 'bar'" }],
      [["spec.validations[0].expression", "undefined field 'foo'"]],
    ],
    [
      "a field of another type",
      object({ foo: { type: "integer" } }),
      [{ expression: "object.foo == 'bar'" }],
      [["spec.validations[0].expression", "found no matching overload"]],
    ],
    [
      "parameters",
      object({ foo: text }),
      [{ expression: "object.foo == params.bar", params: object({ foo: text }) }],
      [["spec.validations[0].expression", "undefined field 'bar'"]],
    ],
    ["parameters without a type", {}, [{ expression: "params != null", params: {} }], []],
    [
      "one of two expressions",
      object({ foo: text }),
      [{ expression: "object.foo == 'bar'" }, { expression: "object.bar == 'foo'" }],
      [["spec.validations[1].expression", "undefined field 'bar'"]],
    ],
    [
      "a message",
      object({ foo: text }),
      [{ expression: "object.foo == 'bar'", messageExpression: "object.foo + 114514" }],
      [["spec.validations[0].messageExpression", "found no matching overload"]],
    ],
    [
      "authorizer",
      object({ foo: text }),
      [{ expression: "authorizer.group('').resource('endpoints').check('create').allowed()" }],
      [],
    ],
    [
      "authorizer, misused",
      object({ foo: text }),
      [{ expression: "authorizer.allowed()" }],
      [
        [
          "spec.validations[0].expression",
          "found no matching overload for 'allowed' applied to 'kubernetes.authorization.Authorizer",
        ],
      ],
    ],
    [
      "additionalProperties: true",
      object({
        spec: object({ text }),
        status: object({ problematicProperty: { type: "object", additionalProperties: true } }),
      }),
      [{ expression: "has(object.spec.text)" }],
      [],
    ],
    ["a schema without a type", {}, [{ expression: "object.anything == 1" }], []],
    [
      "a variable",
      object({ foo: { type: "integer" } }),
      [{ expression: "variables.works", variables: { works: "true" } }],
      [],
    ],
    [
      "a missing variable",
      object({ foo: { type: "integer" } }),
      [{ expression: "variables.nonExisting", variables: { works: "true" } }],
      [["spec.validations[0].expression", "undefined field 'nonExisting'"]],
    ],
    [
      "a variable of another type",
      object({ foo: { type: "integer" } }),
      [{ expression: "variables.name == object.foo", variables: { name: "'something'" } }],
      [
        [
          "spec.validations[0].expression",
          "found no matching overload for '_==_' applied to '(string, int)'",
        ],
      ],
    ],
    [
      "a variable with a problem",
      object({ foo: { type: "integer" } }),
      [{ expression: "variables.name == object.foo", variables: { name: "object.foo == 'str'" } }],
      [],
    ],
  ])("%s", (_, schema, policies, expected) => {
    const warnings = warningsOf(schema, ...policies);
    expect(warnings.map(({ fieldRef }) => fieldRef)).toEqual(expected.map(([fieldRef]) => fieldRef));
    for (const [index, [, part]] of expected.entries()) expect(warnings[index]?.warning).toContain(part);
  });
});

describe("a schema in an OpenAPI document", () => {
  const gvk = { "x-kubernetes-group-version-kind": [deployment] };
  const ref = (name: string) => ({ allOf: [{ $ref: `#/components/schemas/${name}` }] });

  test("contains itself as an object without fields", () => {
    const schemas = { a: { ...object({}), ...gvk, properties: { inner: ref("a"), text } } };
    expect(schemaOfKind({ components: { schemas } }, deployment)).toEqual(
      object({ inner: { type: "object" }, text }),
    );
  });

  test("is refused when its references multiply", () => {
    const schemas: Record<string, object> = { z0: { ...object({}), ...gvk, properties: { a: ref("z1") } } };
    for (let i = 1; i < 40; i++) {
      schemas[`z${i}`] = { type: "object", properties: { a: ref(`z${i + 1}`), b: ref(`z${i + 1}`) } };
    }
    expect(() => schemaOfKind({ components: { schemas } }, deployment)).toThrow(SchemaTooLargeError);
  });

  test.each([undefined, null, [], { components: { schemas: { a: null } } }])("is not found in %j", (one) => {
    expect(schemaOfKind(one, deployment)).toBeUndefined();
  });
});
