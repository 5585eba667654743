import { choice, type FieldForm, list, message, type MessageForm, named, orReference } from "./form.ts";

/** gnostic's `openapiv3/OpenAPIv3.proto`, as far as the documents of an API server use it. */
const reference = message(() => ({
  $ref: [1, "string"],
  summary: [2, "string"],
  description: [3, "string"],
}));

const externalDocs = message(() => ({ description: [1, "string"], url: [2, "string"] }), { extensions: 3 });

/** Lists and objects cannot be encoded here: clients see that a default exists, but not its value. */
const defaultForm = choice((value) => {
  const fields: Readonly<Record<string, FieldForm>> = {
    number: [1, "double"],
    boolean: [2, "boolean"],
    string: [3, "string"],
  };
  return fields[typeof value];
});

const schemaForm: MessageForm = message(
  () => ({
    nullable: [1, "boolean"],
    readOnly: [3, "boolean"],
    writeOnly: [4, "boolean"],
    externalDocs: [6, externalDocs],
    example: [7, "any"],
    deprecated: [8, "boolean"],
    title: [9, "string"],
    multipleOf: [10, "double"],
    maximum: [11, "double"],
    exclusiveMaximum: [12, "boolean"],
    minimum: [13, "double"],
    exclusiveMinimum: [14, "boolean"],
    maxLength: [15, "integer"],
    minLength: [16, "integer"],
    pattern: [17, "string"],
    maxItems: [18, "integer"],
    minItems: [19, "integer"],
    uniqueItems: [20, "boolean"],
    maxProperties: [21, "integer"],
    minProperties: [22, "integer"],
    required: [23, list("string")],
    enum: [24, list("any")],
    type: [25, "string"],
    allOf: [26, list(schema)],
    oneOf: [27, list(schema)],
    anyOf: [28, list(schema)],
    not: [29, schemaForm],
    items: [30, choice(() => [1, schema])],
    properties: [31, named(() => schema)],
    additionalProperties: [
      32,
      choice((value) => (typeof value === "boolean" ? [2, "boolean"] : [1, schema])),
    ],
    default: [33, defaultForm],
    description: [34, "string"],
    format: [35, "string"],
  }),
  { extensions: 36 },
);
const schema = orReference(() => schemaForm, reference);

const mediaTypes = named(() => message(() => ({ schema: [1, schema] }), { extensions: 5 }));

const parameter = message(
  () => ({
    name: [1, "string"],
    in: [2, "string"],
    description: [3, "string"],
    required: [4, "boolean"],
    schema: [10, schema],
  }),
  { extensions: 14 },
);
const parameters = list(orReference(() => parameter, reference));

const requestBody = message(
  () => ({ description: [1, "string"], content: [2, mediaTypes], required: [3, "boolean"] }),
  { extensions: 4 },
);

const response = message(() => ({ description: [1, "string"], content: [3, mediaTypes] }), { extensions: 5 });
const responses = named(() => orReference(() => response, reference), 2);

const operation = message(
  () => ({
    tags: [1, list("string")],
    description: [3, "string"],
    operationId: [5, "string"],
    parameters: [6, parameters],
    requestBody: [7, orReference(() => requestBody, reference)],
    responses: [8, responses],
    deprecated: [10, "boolean"],
  }),
  { extensions: 13 },
);

const pathItem = message(
  () => ({
    get: [4, operation],
    put: [5, operation],
    post: [6, operation],
    delete: [7, operation],
    options: [8, operation],
    head: [9, operation],
    patch: [10, operation],
    parameters: [13, parameters],
  }),
  { extensions: 14 },
);

const securityScheme = message(() => ({
  type: [1, "string"],
  description: [2, "string"],
  name: [3, "string"],
  in: [4, "string"],
}));

/** The whole document. */
export const documentV3 = message(() => ({
  openapi: [1, "string"],
  info: [2, message(() => ({ title: [1, "string"], version: [6, "string"] }))],
  paths: [4, named(() => pathItem)],
  components: [
    5,
    message(() => ({
      schemas: [1, named(() => schema)],
      securitySchemes: [7, named(() => orReference(() => securityScheme, reference))],
    })),
  ],
}));
