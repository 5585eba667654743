import { choice, list, message, type MessageForm, named, orReference } from "./form.ts";
import { isObject } from "../../../util/is-object.ts";

/** gnostic's `openapiv2/OpenAPIv2.proto`, as far as the documents of an API server use it. */
const externalDocs = message(() => ({ description: [1, "string"], url: [2, "string"] }), { extensions: 3 });

const schema: MessageForm = message(
  () => ({
    $ref: [1, "string"],
    format: [2, "string"],
    title: [3, "string"],
    description: [4, "string"],
    multipleOf: [6, "double"],
    maximum: [7, "double"],
    exclusiveMaximum: [8, "boolean"],
    minimum: [9, "double"],
    exclusiveMinimum: [10, "boolean"],
    maxLength: [11, "integer"],
    minLength: [12, "integer"],
    pattern: [13, "string"],
    maxItems: [14, "integer"],
    minItems: [15, "integer"],
    uniqueItems: [16, "boolean"],
    maxProperties: [17, "integer"],
    minProperties: [18, "integer"],
    required: [19, list("string")],
    enum: [20, list("any")],
    additionalProperties: [
      21,
      choice((value) => (typeof value === "boolean" ? [2, "boolean"] : [1, schema])),
    ],
    type: [22, choice(() => [1, "string"])],
    items: [23, choice(() => [1, schema])],
    properties: [25, named(() => schema)],
    externalDocs: [29, externalDocs],
    example: [30, "any"],
  }),
  { extensions: 31 },
);

const bodyParameter = message(() => ({
  description: [1, "string"],
  name: [2, "string"],
  in: [3, "string"],
  required: [4, "boolean"],
  schema: [5, schema],
}));

const queryParameter = message(() => ({
  required: [1, "boolean"],
  in: [2, "string"],
  description: [3, "string"],
  name: [4, "string"],
  type: [6, "string"],
  uniqueItems: [20, "boolean"],
}));

const pathParameter = message(() => ({
  required: [1, "boolean"],
  in: [2, "string"],
  description: [3, "string"],
  name: [4, "string"],
  type: [5, "string"],
  uniqueItems: [19, "boolean"],
}));

const plainParameter = choice((value) =>
  parameterLocation(value) === "query" ? [3, queryParameter] : [4, pathParameter],
);
const parameter = choice((value) =>
  parameterLocation(value) === "body" ? [1, bodyParameter] : [2, plainParameter],
);
const reference = message(() => ({ $ref: [1, "string"], description: [2, "string"] }));
const parameters = list(orReference(() => parameter, reference));

function parameterLocation(parameter: unknown): unknown {
  return isObject(parameter) ? parameter["in"] : undefined;
}

const response = message(() => ({ description: [1, "string"], schema: [2, choice(() => [1, schema])] }), {
  extensions: 5,
});

const operation = message(
  () => ({
    tags: [1, list("string")],
    description: [3, "string"],
    operationId: [5, "string"],
    produces: [6, list("string")],
    consumes: [7, list("string")],
    parameters: [8, parameters],
    responses: [9, named(() => orReference(() => response, reference))],
    schemes: [10, list("string")],
    deprecated: [11, "boolean"],
  }),
  { extensions: 13 },
);

const pathItem = message(
  () => ({
    get: [2, operation],
    put: [3, operation],
    post: [4, operation],
    delete: [5, operation],
    options: [6, operation],
    head: [7, operation],
    patch: [8, operation],
    parameters: [9, parameters],
  }),
  { extensions: 10 },
);

const apiKey = message(() => ({
  type: [1, "string"],
  name: [2, "string"],
  in: [3, "string"],
  description: [4, "string"],
}));

/** The whole document. */
export const documentV2 = message(() => ({
  swagger: [1, "string"],
  info: [2, message(() => ({ title: [1, "string"], version: [2, "string"] }))],
  paths: [8, named(() => pathItem, 2)],
  definitions: [9, named(() => schema)],
  parameters: [10, named(() => parameter)],
  security: [12, list(named(() => choice(() => [1, list("string")])))],
  securityDefinitions: [13, named(() => choice(() => [2, apiKey]))],
}));
