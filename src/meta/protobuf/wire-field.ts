import { type Field, type LazyType, type MessageType, resolve, type Type } from "../schema.ts";

/** A type with its lazy references resolved. */
export type Resolved = Exclude<Type, LazyType>;

/** A field on the wire. */
export interface WireField {
  readonly number: number;
  /** The name in JSON. */
  readonly name: string;
  readonly presence: Field["presence"];
  readonly type: Resolved;
}

export interface WireFields {
  readonly byNumber: ReadonlyMap<number, WireField>;
  /** The fields in the order of writing: by ascending number. */
  readonly inOrder: readonly WireField[];
}

const known = new WeakMap<MessageType, WireFields>();

/** A message's fields as declared. Inline messages are separate messages on the wire. */
export function wireFieldsOf(message: MessageType): WireFields {
  let fields = known.get(message);
  if (fields === undefined) {
    const inOrder = [...message.declared]
      .filter(([, { number }]) => number > 0)
      .map(([name, { number, presence, type }]) => ({ number, name, presence, type: resolve(type) }))
      .sort((a, b) => a.number - b.number);
    fields = { byNumber: new Map(inOrder.map((field) => [field.number, field])), inOrder };
    known.set(message, fields);
  }
  return fields;
}
