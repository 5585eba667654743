import type { JSONSchemaProps } from "../custom-resource-definition/json-schema-props.ts";
import { additionalOf } from "./traverse.ts";
import { table } from "../../../util/table.ts";

/** A path that leads to a field of a schema. */
export interface FoundField {
  /** The steps in a normalized spelling, so that equal paths have equal texts. */
  readonly text: string;
  readonly first: string;
  /** The field's schema; undefined below maps without a value schema. */
  readonly schema: JSONSchemaProps | undefined;
}

/** Thrown when a path leads to no field. The message is upstream's. */
export class FieldPathError extends Error {
  override readonly name = "FieldPathError";
}

const unexpectedEnd = () => new FieldPathError("unexpected end of JSON path");

/**
 * Follows a simple JSON path such as `.spec.ports['http']` through a schema (apiextensions-apiserver
 * `cel.ValidFieldPath`).
 * @throws FieldPathError
 */
export function findField(path: string, schema: JSONSchemaProps, allowsBrackets = true): FoundField {
  const tokens = path.match(/[.[\]]|'(?:\\'|[^'])*'|'.*|[^.[\]]+/gs) ?? [];
  const next = () => {
    const token = tokens.shift();
    if (token === undefined) throw unexpectedEnd();
    return token;
  };
  let found: FoundField = { text: "", first: "", schema };
  while (tokens.length > 0) {
    const token = next();
    if (token === ".") found = step(found, next());
    else if (token === "[") {
      if (!allowsBrackets) throw new FieldPathError("array notation is not allowed");
      found = step(found, unquote(next()));
      const end = next();
      if (end !== "]") throw new FieldPathError(`expected ] but got ${end}`);
    } else throw new FieldPathError(`expected [ or . but got: ${token}`);
  }
  return found;
}

function step({ text, first, schema }: FoundField, name: string): FoundField {
  if (schema?.properties !== undefined) {
    const inner = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    if (inner === undefined) throw new FieldPathError("does not refer to a valid field");
    return { text: text === "" ? name : `${text}.${name}`, first: first || name, schema: inner };
  }
  if (schema?.additionalProperties === undefined) {
    throw new FieldPathError("does not refer to a valid field");
  }
  return { text: `${text}[${name}]`, first: first || name, schema: additionalOf(schema) };
}

const escapes: Readonly<Record<string, string>> = table({
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "'": "'",
  '"': '"',
  "\\": "\\",
});

function unquote(token: string): string {
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'")) {
    throw new FieldPathError(`expected single quoted string but got ${token}`);
  }
  return token.slice(1, -1).replaceAll(/\\(.)/gs, (_, character: string) => {
    const meant = escapes[character];
    if (meant === undefined) throw new FieldPathError(`invalid string literal: \\${character}`);
    return meant;
  });
}
