import type { ApiResponse, EncodedEvent } from "../../meta/exchange.ts";
import { toJson } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/kind.ts";
import { errors, failure, type Status } from "../../meta/status.ts";
import { acceptClauses, jsonType, protobufType, yamlType } from "../accept.ts";
import type { Context } from "../context.ts";
import { frame } from "../watch/record.ts";
import type { Listing } from "../registry/read.ts";
import type { ServedResource, Shown } from "../resources/served.ts";
import {
  type IncludeObject,
  inVersion,
  type MetaVersion,
  metaVersions,
  partialMetadata,
  table,
  type Table,
} from "./table.ts";
import type { Transform } from "../registry/watch.ts";

/** The form of objects that the client accepts. */
export type Form =
  | { readonly type: "object" }
  | { readonly type: "table"; readonly include: IncludeObject; readonly version: MetaVersion }
  | { readonly type: "metadata"; readonly version: MetaVersion };

const plain: Form = { type: "object" };
const accepted = [jsonType, yamlType, protobufType];
const acceptedStreams = [`${jsonType};stream=watch`, `${protobufType};stream=watch`];

/** Reads the Accept header: the first supported clause decides. Custom resources have no protobuf message. */
export function formOf(context: Context, of: "object" | "list" | "watch", resource?: ServedResource): Form {
  const header = context.request.headers["accept"] ?? "";
  if (header === "") return plain;
  const hasMessage = resource?.custom === undefined;
  const clauses = acceptClauses(header);
  for (const { type, parameters } of clauses) {
    const as = parameters.get("as");
    if (as === undefined) {
      const isAny = type === "*/*" || type === "application/*";
      const isProtobuf = type === protobufType && hasMessage;
      if (isAny || type === jsonType || isProtobuf || (type === yamlType && of !== "watch")) return plain;
    } else if (parameters.get("g") === "meta.k8s.io") {
      const version = metaVersions.find((one) => one === parameters.get("v"));
      if (version === undefined) continue;
      if (type === jsonType && as === "Table")
        return { type: "table", include: includeObject(context), version };
      const isMetadata = as === (of === "list" ? "PartialObjectMetadataList" : "PartialObjectMetadata");
      if (isMetadata && (type === jsonType || type === protobufType)) return { type: "metadata", version };
    }
  }
  throw notAcceptable(of);
}

export function notAcceptable(of: "object" | "list" | "watch") {
  return errors.notAcceptable(of === "watch" ? acceptedStreams : accepted);
}

function includeObject(context: Context): IncludeObject {
  const asked = context.request.query.get("includeObject") ?? "";
  if (asked === "None" || asked === "Metadata" || asked === "Object") return asked;
  if (asked === "") return "Metadata";
  const why = "must be 'Metadata', 'Object', 'None', or empty";
  throw errors.badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(asked)}: ${why}`,
  );
}

export function respondObject(
  context: Context,
  resource: ServedResource,
  { object, encoded }: Shown,
  status = 200,
): ApiResponse {
  const form = formOf(context, "object", resource);
  switch (form.type) {
    case "object":
      return value(object, status, encoded);
    case "metadata":
      return value(inVersion(partialMetadata(object), form.version), status);
    case "table": {
      const { resourceVersion } = object.metadata;
      const metadata = resourceVersion === undefined ? {} : { resourceVersion };
      const now = context.services.env.clock.now();
      const shown = table(resource, [object], metadata, form.include, now);
      return value(inVersion(shown, form.version), status);
    }
  }
}

/** The error for a known path with an unsupported method. */
export function methodNotServed() {
  const why = "the server does not allow this method on the requested resource";
  return failure(405, "MethodNotAllowed", why, {});
}

export function value(object: object, status = 200, encoded?: Uint8Array): ApiResponse {
  const body = { type: "object", value: object } as const;
  return { status, headers: {}, body: encoded === undefined ? body : { ...body, encoded } };
}

export function respondStatus(status: Status): ApiResponse {
  return value(status, status.code);
}

export function respondList(context: Context, resource: ServedResource, listing: Listing): ApiResponse {
  const form = formOf(context, "list", resource);
  const metadata = listMetadata(listing);
  const objects = () => listing.items.map(({ object }) => object);
  switch (form.type) {
    case "object":
      return sharedList(resource, listing, metadata);
    case "metadata":
      return value(
        inVersion(
          {
            kind: "PartialObjectMetadataList",
            apiVersion: "meta.k8s.io/v1",
            metadata,
            items: objects().map(partialMetadata),
          },
          form.version,
        ),
      );
    case "table":
      const now = context.services.env.clock.now();
      return value(inVersion(table(resource, objects(), metadata, form.include, now), form.version));
  }
}

export function listMetadata({ revision, continue: next, remaining }: Listing) {
  return {
    ...(revision === undefined ? {} : { resourceVersion: String(revision) }),
    ...(next === undefined ? {} : { continue: next }),
    ...(remaining === undefined ? {} : { remainingItemCount: remaining }),
  };
}

const comma = Buffer.from(",");
const brace = Buffer.from("{");
const commaBrace = Buffer.from(",{");
const end = Buffer.from("]}");

/**
 * Joins the items' stored bytes between a head and a tail: items that are stored in the form that clients see
 * are neither parsed nor encoded. Items of built-in kinds have no type of their own, as upstream.
 */
function sharedList({ kind, custom }: ServedResource, { items }: Listing, metadata: object): ApiResponse {
  const head = { kind: kind.listKind, apiVersion: kind.apiVersion, metadata };
  const isTyped = custom !== undefined;
  const typed = Buffer.from(`{"apiVersion":"${kind.apiVersion}","kind":"${kind.kind}",`);
  return {
    status: 200,
    headers: {},
    body: {
      type: "list",
      head,
      items,
      value: () => ({
        ...head,
        items: items.map(({ object }) => (isTyped ? object : withoutType(object))),
      }),
      *chunks() {
        yield Buffer.from(`${JSON.stringify(head).slice(0, -1)},"items":[`);
        for (const [index, item] of items.entries()) {
          // `item.object` would parse the bytes.
          const { encoded } = item;
          if (encoded !== undefined && !isTyped && startsWith(encoded, typed)) {
            yield index > 0 ? commaBrace : brace;
            yield encoded.subarray(typed.length);
            continue;
          }
          if (index > 0) yield comma;
          yield encoded !== undefined && isTyped
            ? encoded
            : Buffer.from(toJson(isTyped ? item.object : withoutType(item.object)));
        }
        yield end;
      },
    },
  };
}

function startsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  for (let i = 0; i < start.length; i++) if (bytes[i] !== start[i]) return false;
  return true;
}

function withoutType({ apiVersion: _, kind: __, ...object }: KubeObject): object {
  return object;
}

/** Returns the transformation of a watch's events. The first event of a Table has the column definitions. */
export function transformOf(context: Context, resource: ServedResource): Transform {
  const form = formOf(context, "watch", resource);
  if (form.type === "object") return (event) => event;
  let first = true;
  return ({ event, encoded }): EncodedEvent => {
    if (event.type === "ERROR") return { event, encoded };
    const shown =
      form.type === "metadata"
        ? partialMetadata(event.object)
        : tableEvent(context, resource, event.object, event.type, form.include, first);
    first = false;
    const versioned = inVersion(shown, form.version);
    const bytes = Buffer.from(toJson(versioned));
    return {
      event: { type: event.type, object: versioned },
      encoded: () => frame(event.type, bytes),
    };
  };
}

function tableEvent(
  context: Context,
  resource: ServedResource,
  object: KubeObject,
  type: string,
  include: IncludeObject,
  first: boolean,
): Table {
  const { resourceVersion } = object.metadata;
  const metadata = resourceVersion === undefined ? {} : { resourceVersion };
  if (type === "BOOKMARK") {
    const row = { cells: [], object: include === "Object" ? object : partialMetadata(object) };
    return { ...table(resource, [], metadata, include, 0, first), rows: [row] };
  }
  return table(resource, [object], metadata, include, context.services.env.clock.now(), first);
}
