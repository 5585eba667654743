import { fieldsOf } from "../../util/is-object.ts";
import { mapValues, objectsIn, type SchemaObject } from "./schema-object.ts";
import { swaggerSchema } from "./swagger-schema.ts";

/** Converts a path with its operations to Swagger 2.0. */
export function swaggerPath(path: unknown): SchemaObject {
  const { parameters, ...operations } = fieldsOf(path);
  return {
    ...mapValues(operations, swaggerOperation),
    ...(parameters === undefined ? {} : { parameters: parametersOf(parameters) }),
  };
}

function swaggerOperation(operation: unknown): SchemaObject {
  const { parameters, requestBody, responses, ...others } = fieldsOf(operation);
  const answers = fieldsOf(responses);
  const all = [...bodyOf(requestBody), ...parametersOf(parameters)];
  return {
    ...others,
    consumes: requestBody === undefined ? ["*/*"] : mediaTypes(requestBody),
    produces: [...new Set(Object.values(answers).flatMap(mediaTypes))],
    schemes: ["https"],
    ...(all.length === 0 ? {} : { parameters: all }),
    responses: mapValues(answers, (answer) => {
      const { description } = fieldsOf(answer);
      const schema = schemaOf(answer);
      return { description, ...(schema === undefined ? {} : { schema }) };
    }),
  };
}

/** Returns the media types of a request's body, or of an answer. */
function mediaTypes(holder: unknown): readonly string[] {
  return Object.keys(fieldsOf(fieldsOf(holder)["content"]));
}

/** Returns the schema, which all media types share. */
function schemaOf(holder: unknown): SchemaObject | undefined {
  const [first] = Object.values(fieldsOf(fieldsOf(holder)["content"]));
  return first === undefined ? undefined : swaggerSchema(fieldsOf(first)["schema"]);
}

function bodyOf(body: unknown): readonly SchemaObject[] {
  if (body === undefined) return [];
  const required = fieldsOf(body)["required"] === true ? { required: true } : {};
  return [{ name: "body", in: "body", ...required, schema: schemaOf(body) }];
}

function parametersOf(parameters: unknown): readonly SchemaObject[] {
  return objectsIn(parameters).map(({ schema, ...parameter }) => ({ ...parameter, ...fieldsOf(schema) }));
}
