import { isList, isObject } from "../../util/is-object.ts";
import type { MessageType } from "../../meta/schema.ts";

/** A schema object or any other part of an OpenAPI document. */
export type SchemaObject = Readonly<Record<string, unknown>>;

export interface Reference extends SchemaObject {
  readonly $ref: string;
}

/** The definitions of one document, which schemas reference. */
export interface Definer {
  /** Returns a reference to a message's definition, which is added if it is new. */
  refer(message: MessageType): Reference;
}

/** Returns the objects of a list in a document; none when the list is absent. */
export function objectsIn(list: unknown): readonly SchemaObject[] {
  return isList(list) ? list.filter(isObject) : [];
}

export const definitionsPrefix = "#/components/schemas/";

export function reference(name: string): Reference {
  return { $ref: definitionsPrefix + name };
}

export function mapValues<T, R>(
  record: Readonly<Record<string, T>>,
  change: (value: T) => R,
): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
