/** A schema object or any other part of an OpenAPI document. */
export type SchemaObject = Readonly<Record<string, unknown>>;

export interface Reference extends SchemaObject {
  readonly $ref: string;
}

export const definitionsPrefix = "#/components/schemas/";

export function reference(name: string): Reference {
  return { $ref: definitionsPrefix + name };
}
