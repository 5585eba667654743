import { type MessageType, resolve } from "../../meta/schema.ts";
import type { SchemaObject } from "./schema-object.ts";

type JsonType = "string" | "integer" | "boolean";

function query(name: string, type: JsonType, description: string): SchemaObject {
  return { name, in: "query", description, schema: { type, uniqueItems: true } };
}

export function pathParameter(name: string, description: string): SchemaObject {
  return { name, in: "path", description, required: true, schema: { type: "string", uniqueItems: true } };
}

export const pretty = query("pretty", "string", "Whether to indent the answer; browsers and curl get it so.");
export const namespace = pathParameter("namespace", "The namespace that the object is in.");

const dryRun = query("dryRun", "string", "`All` checks everything and stores nothing.");
const force = query("force", "boolean", "Whether an apply takes over fields that others own.");
const fieldManager = query(
  "fieldManager",
  "string",
  "The name by which the caller owns fields, at most 128 characters.",
);
/**
 * kubectl recognizes server-side validation of a kind by this parameter, which must be written out in the
 * operation.
 */
const fieldValidation = query(
  "fieldValidation",
  "string",
  "What unknown and duplicate fields lead to: Ignore drops them, Warn (the default) says so too, Strict refuses the request.",
);

export const writing = [dryRun, fieldManager, fieldValidation];
export const patching = [...writing, force];

export const deleting = [
  dryRun,
  query(
    "gracePeriodSeconds",
    "integer",
    "How many seconds the object has to end by itself; 0 deletes at once.",
  ),
  query(
    "ignoreStoreReadErrorWithClusterBreakingPotential",
    "boolean",
    "Deletes also an object that can no longer be decoded.",
  ),
  query("orphanDependents", "boolean", "The predecessor of propagationPolicy."),
  query("propagationPolicy", "string", "What happens to dependents: Orphan, Background or Foreground."),
];

const selecting = [
  query("continue", "string", "Where the page starts: the token of the page before."),
  query("fieldSelector", "string", "Selects objects by their fields; all when empty."),
  query("labelSelector", "string", "Selects objects by their labels; all when empty."),
  query("limit", "integer", "How many objects a page has at most."),
  query("resourceVersion", "string", "The state to answer from, or to start a watch after."),
  query("resourceVersionMatch", "string", "How exactly resourceVersion is meant: Exact or NotOlderThan."),
  query(
    "sendInitialEvents",
    "boolean",
    "Whether a watch starts with what there is, closed off by a bookmark.",
  ),
  query("timeoutSeconds", "integer", "After how many seconds a list is given up, or a watch ends."),
];

export const listing = [
  query("allowWatchBookmarks", "boolean", "Whether a watch may send bookmarks."),
  ...selecting,
  query("watch", "boolean", "Whether to watch changes from the list's state on instead."),
];

export const deletingMany = [...deleting, ...selecting];

/** Returns the fields of an options message as query parameters. */
export function parametersOf(options: MessageType): readonly SchemaObject[] {
  return [...options.fields].map(([name, field]) => {
    const type = resolve(field.type);
    const item = type.kind === "list" ? resolve(type.of) : type;
    const scalar = item.kind === "scalar" ? item.name : "string";
    const json =
      scalar === "boolean" ? "boolean" : scalar === "int32" || scalar === "int64" ? "integer" : "string";
    return query(name, json, field.doc);
  });
}
