import { mapValues, type SchemaObject } from "./schema-object.ts";
import { swaggerSchema } from "./swagger-schema.ts";

/** Converts a path with its operations to Swagger 2.0. */
export function swaggerPath(path: SchemaObject): SchemaObject {
  const { parameters, ...operations } = path as Readonly<Record<string, SchemaObject>>;
  return {
    ...mapValues(operations, swaggerOperation),
    ...(parameters === undefined ? {} : { parameters: parametersOf(parameters) }),
  };
}

interface Holder {
  readonly description?: string;
  readonly required?: boolean;
  readonly content?: Readonly<Record<string, { readonly schema: SchemaObject }>>;
}

function swaggerOperation(operation: SchemaObject): SchemaObject {
  const { parameters, requestBody, responses, ...others } = operation;
  const body = requestBody as Holder | undefined;
  const answers = responses as Readonly<Record<string, Holder>>;
  const all = [...bodyOf(body), ...parametersOf(parameters)];
  return {
    ...others,
    consumes: body === undefined ? ["*/*"] : Object.keys(body.content ?? {}),
    produces: [...new Set(Object.values(answers).flatMap(({ content = {} }) => Object.keys(content)))],
    schemes: ["https"],
    ...(all.length === 0 ? {} : { parameters: all }),
    responses: mapValues(answers, ({ description, content }) => {
      const schema = schemaOf(content);
      return { description, ...(schema === undefined ? {} : { schema }) };
    }),
  };
}

/** Returns the schema, which all media types share. */
function schemaOf(content: Holder["content"] = {}): SchemaObject | undefined {
  const [first] = Object.values(content);
  return first === undefined ? undefined : swaggerSchema(first.schema);
}

function bodyOf(body: Holder | undefined): readonly SchemaObject[] {
  if (body === undefined) return [];
  const required = body.required === true ? { required: true } : {};
  return [{ name: "body", in: "body", ...required, schema: schemaOf(body.content) }];
}

function parametersOf(parameters: unknown): readonly SchemaObject[] {
  return ((parameters ?? []) as readonly SchemaObject[]).map(({ schema, ...parameter }) => ({
    ...parameter,
    ...(schema as SchemaObject),
  }));
}
