import { type GroupVersionKind, type Kind, parseGroupVersion } from "../../meta/kind.ts";
import type { SchemaObject } from "./schema-object.ts";

/** The common names of the operations on one resource. */
export interface Naming {
  /** The part of operation IDs after their verb: `CoreV1`, `RbacAuthorizationV1`. */
  readonly id: string;
  /** `core_v1`, `rbacAuthorization_v1` */
  readonly tag: string;
}

/** Returns the names of a group and version, from which client generators make method names. */
export function namingOf(apiVersion: string): Naming {
  const { group, version } = parseGroupVersion(apiVersion) ?? { group: "", version: apiVersion };
  const camel = groupName(group);
  return { id: title(camel) + title(version), tag: `${camel}_${version}` };
}

/** `core`, `rbacAuthorization` */
export function groupName(group: string): string {
  const words = (group === "" ? "core" : group.replace(/\.k8s\.io$/, "")).split(/[.-]/);
  return words.map((word, index) => (index === 0 ? word : title(word))).join("");
}

export function title(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

export interface OperationInfo {
  readonly id: string;
  readonly tag: string;
  readonly description: string;
  readonly action: string;
  readonly of: GroupVersionKind;
  readonly parameters?: readonly SchemaObject[];
  readonly requestBody?: SchemaObject;
  readonly responses: SchemaObject;
}

export function operation(info: OperationInfo): SchemaObject {
  const { id, tag, description, action, of, parameters = [], requestBody, responses } = info;
  return {
    description,
    operationId: id,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: { ...responses, "401": { description: "Unauthorized" } },
    tags: [tag],
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": groupVersionKind(of),
  };
}

/** Drops all other fields of a `Kind`. */
export function groupVersionKind({ group, version, kind }: GroupVersionKind): GroupVersionKind {
  return { group, version, kind };
}

const json = "application/json";
const objectTypes = [json, "application/vnd.kubernetes.protobuf", "application/yaml"];
const streamTypes = [
  ...objectTypes,
  `${json};stream=watch`,
  "application/vnd.kubernetes.protobuf;stream=watch",
];
const customTypes = [json, "application/yaml"];

/** Returns the media types in which a kind's objects, or its lists and watches, are answered. */
export function mediaTypesOf({ schema }: Kind, of: "object" | "stream" = "object"): readonly string[] {
  if (schema.foreign !== undefined) return customTypes;
  return of === "stream" ? streamTypes : objectTypes;
}

const phrases: Readonly<Record<number, string>> = { 200: "OK", 201: "Created", 202: "Accepted" };

export function answers(
  schema: SchemaObject,
  codes: readonly number[],
  types: readonly string[] = objectTypes,
): SchemaObject {
  const content = Object.fromEntries(types.map((type) => [type, { schema }]));
  return Object.fromEntries(codes.map((code) => [code, { description: phrases[code], content }]));
}

/**
 * Returns a request body. As upstream, only custom resources, which have no protobuf, list their media types.
 */
export function body(schema: SchemaObject, kind: Kind, required = true): SchemaObject {
  const types = kind.schema.foreign === undefined ? ["*/*"] : customTypes;
  const content = Object.fromEntries(types.map((type) => [type, { schema }]));
  return { content, ...(required ? { required } : {}) };
}

const patchTypes = [
  "application/apply-patch+yaml",
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
];

/**
 * Without the strategic type for custom resources, because kubectl uses strategic merge patches wherever they
 * are offered.
 */
export function patchBody(schema: SchemaObject, { schema: { foreign } }: Kind): SchemaObject {
  const types = patchTypes.filter((type) => foreign === undefined || !type.includes("strategic"));
  return { content: Object.fromEntries(types.map((type) => [type, { schema }])), required: true };
}

/** Returns the path prefix of a kind's group and version. */
export function pathPrefix(kind: Pick<Kind, "group" | "apiVersion">): string {
  return kind.group === "" ? `/api/${kind.apiVersion}` : `/apis/${kind.apiVersion}`;
}
