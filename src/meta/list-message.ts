import type { Kind } from "./kind.ts";
import { list, type MessageType, messages, optional, required, resolve } from "./schema.ts";
import { ListMeta } from "./v1.ts";

const made = new WeakMap<MessageType, MessageType>();

/** The message type of a list's items. */
export function itemMessage(list: MessageType): MessageType {
  const type = list.fields.get("items")?.type;
  const item = type?.kind === "list" ? resolve(type.of) : undefined;
  if (item?.kind !== "message") throw new TypeError(`${list.name} is not a list of objects`);
  return item;
}

/** The message type of a list of a kind's objects. Returns the same one for the same schema. */
export function listMessage({
  schema,
  listKind,
  kind,
}: Pick<Kind, "schema" | "listKind" | "kind">): MessageType {
  let message = made.get(schema);
  if (message === undefined) {
    message = messages(schema.name.slice(0, schema.name.lastIndexOf(".")))(
      listKind,
      `A list of objects of kind ${kind}.`,
      {
        metadata: optional(1, ListMeta, "Standard list metadata."),
        items: required(2, list(schema), "The objects."),
      },
    );
    made.set(schema, message);
  }
  return message;
}
