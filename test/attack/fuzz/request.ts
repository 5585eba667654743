import { type Random, seededRandom } from "../../../src/util/random.ts";
import { type Sample, samples } from "../shapes/samples.ts";
import type { Attacker } from "../target.ts";
import { mutate } from "./mutate.ts";
import { chance, oddText, oddValue, pick } from "./words.ts";

/** A request that may be anything; the same seed and index give the same request. */
export interface FuzzRequest {
  readonly as: Attacker;
  readonly method: string;
  readonly path: string;
  readonly query: readonly (readonly [string, string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

const known = samples();

/** Larger than the server accepts. */
const longestBody = 5 * 1024 * 1024;

export function requestAt(seed: number, index: number): FuzzRequest {
  const random = seededRandom(seed * 1_000_003 + index);
  const sample = pick(random, known);
  const method = pick(random, methods);
  const path = pathOf(random, sample, method);
  const query = queryOf(random, path);
  const type = pick(random, method === "PATCH" ? patchTypes : bodyTypes);
  const headers = { ...headersOf(random), ...(method === "GET" ? {} : { "content-type": type }) };
  const hasBody = !["GET", "HEAD"].includes(method) && chance(random, method === "DELETE" ? 0.4 : 0.97);
  const body = hasBody ? bodyOf(random, sample, method, type).slice(0, longestBody) : undefined;
  return { as: pick(random, attackers), method, path, query, headers, body };
}

function tooLong(text: string): string {
  return text.repeat(Math.ceil(longestBody / Math.max(1, text.length)));
}

export function urlOf({ path, query }: FuzzRequest): string {
  const text = query
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join("&");
  return text === "" ? path : `${path}?${text}`;
}

const attackers: readonly Attacker[] = ["admin", "admin", "admin", "admin", "admin", "anybody", "anonymous"];
const methods = [
  "GET",
  "POST",
  "POST",
  "POST",
  "PUT",
  "PATCH",
  "PATCH",
  "PATCH",
  "DELETE",
  "HEAD",
  "OPTIONS",
  "CONSTRUCTOR",
  "constructor",
];
const bodyTypes = [
  "application/json",
  "application/json",
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
  "text/yaml",
  "constructor",
  "",
];
const patchTypes = [
  "application/merge-patch+json",
  "application/json-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
  "application/json",
  "__proto__",
];
const subresources = [
  "",
  "",
  "",
  "",
  "status",
  "scale",
  "finalize",
  "approval",
  "ephemeralcontainers",
  "resize",
  "binding",
  "eviction",
  "token",
  "constructor",
  "toString",
  "log",
  "proxy",
  "a/b",
];

/** Returns a word for a path, sometimes an invalid one. */
const segment = (random: Random) => encodeURIComponent(oddText(random).toWellFormed());

function pathOf(random: Random, { collection, object }: Sample, method: string): string {
  if (chance(random, 0.04)) return oddPath(random);
  const { metadata = {} } = object as { metadata?: { name?: string } };
  const place = chance(random, 0.05) ? collection.replace("/default/", `/${segment(random)}/`) : collection;
  const isOfAll = method === "POST" ? chance(random, 0.85) : chance(random, 0.15);
  if (isOfAll) return place;
  const name = chance(random, 0.1) ? segment(random) : (metadata.name ?? "sample");
  const subresource = pick(random, subresources);
  return `${place}/${name}${subresource === "" ? "" : `/${subresource}`}`;
}

const roots = [
  "/api",
  "/apis",
  "/openapi/v2",
  "/openapi/v3",
  "/version",
  "/healthz",
  "/readyz",
  "/metrics",
  "/.well-known/openid-configuration",
  "/api/v1/watch",
  "/logs",
  "/",
];

function oddPath(random: Random): string {
  const steps = Array.from({ length: Math.floor(random.next() * 5) }, () =>
    chance(random, 0.5)
      ? segment(random)
      : pick(random, ["v1", "pods", "namespaces", "default", "apps", "deployments", "status"]),
  );
  const path = [pick(random, roots), ...steps].join("/").replaceAll("//", "/");
  return chance(random, 0.1) ? `${path}%ZZ` : path;
}

const options = [
  "fieldManager",
  "fieldValidation",
  "dryRun",
  "labelSelector",
  "fieldSelector",
  "limit",
  "continue",
  "resourceVersion",
  "resourceVersionMatch",
  "pretty",
  "force",
  "gracePeriodSeconds",
  "propagationPolicy",
  "orphanDependents",
  "includeObject",
  "timeout",
  "sendInitialEvents",
  "allowWatchBookmarks",
  "container",
  "tailLines",
  "constructor",
  "__proto__",
];
const usual = new Map([
  ["dryRun", "All"],
  ["fieldManager", "m"],
  ["fieldValidation", "Strict"],
  ["force", "true"],
  ["limit", "2"],
  ["resourceVersion", "0"],
]);

function queryOf(random: Random, path: string): readonly (readonly [string, string])[] {
  const query: [string, string][] = [];
  while (chance(random, 0.45)) {
    const name = pick(random, options);
    query.push([name, chance(random, 0.6) ? (usual.get(name) ?? "1") : oddText(random).toWellFormed()]);
  }
  // A watch ends after its timeout.
  const isWatch = path.startsWith("/api/v1/watch");
  if (isWatch || chance(random, 0.001)) query.push(["watch", "true"], ["timeoutSeconds", "1"]);
  return query;
}

const accepts = [
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
  "application/json;as=Table;v=v1;g=meta.k8s.io",
  "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
  "application/json;as=constructor;v=__proto__;g=meta.k8s.io",
  "*/*",
  "text/plain",
  "constructor",
  ";;;,,,q=",
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
];

function headersOf(random: Random): Readonly<Record<string, string>> {
  const printable = () =>
    Buffer.from(oddText(random))
      .toString("latin1")
      .replaceAll(/[^\x20-\x7e\x80-\xff]/g, "")
      .trim();
  return {
    ...(chance(random, 0.5) && { accept: pick(random, accepts) }),
    ...(chance(random, 0.05) && { "accept-encoding": "gzip" }),
    ...(chance(random, 0.03) && { authorization: `Bearer ${printable()}` }),
    ...(chance(random, 0.03) && { "impersonate-user": printable() }),
    ...(chance(random, 0.02) && { "impersonate-group": printable() }),
    ...(chance(random, 0.02) && { "impersonate-extra-%ZZ": printable(), "impersonate-user": "a" }),
    ...(chance(random, 0.02) && { "user-agent": printable() }),
  };
}

function bodyOf(random: Random, sample: Sample, method: string, type: string): string {
  if (chance(random, 0.02)) return oddText(random);
  if (chance(random, 0.000_1)) return tooLong(oddText(random));
  const text = JSON.stringify(valueOf(random, sample, method, type)) ?? "";
  if (type.includes("yaml") && chance(random, 0.5))
    return text.replaceAll('"', chance(random, 0.5) ? "'" : "");
  if (type.includes("protobuf"))
    return `k8s\0${chance(random, 0.5) ? text : "\n\u0006\n\u0002v1\u0012\u0000\u0012\u0004\n\u0002\n\u0000"}`;
  if (chance(random, 0.02)) return text.slice(0, Math.floor(random.next() * text.length));
  // A duplicate key.
  return chance(random, 0.03) ? text.replace("{", '{"metadata":{"name":"twice"},') : text;
}

function valueOf(random: Random, { object }: Sample, method: string, type: string): unknown {
  if (chance(random, 0.03)) return oddValue(random);
  if (method === "DELETE") return mutate(random, deleteOptions);
  if (type === "application/json-patch+json") return jsonPatch(random, object);
  let value: unknown =
    method === "PATCH" && !type.includes("apply") && chance(random, 0.5) ? patchOf(random) : object;
  for (let left = pick(random, [0, 1, 1, 2, 4]); left > 0; left--) value = mutate(random, value);
  return value;
}

const deleteOptions = {
  apiVersion: "v1",
  kind: "DeleteOptions",
  gracePeriodSeconds: 0,
  propagationPolicy: "Background",
  preconditions: { uid: "u", resourceVersion: "1" },
  dryRun: ["All"],
};

function patchOf(random: Random): unknown {
  return pick<unknown>(random, [
    { metadata: { labels: { [oddText(random)]: oddValue(random) } } },
    { metadata: { $patch: "replace", annotations: { a: oddText(random) } } },
    { metadata: { finalizers: [oddText(random)], "$deleteFromPrimitiveList/finalizers": [oddText(random)] } },
    {
      metadata: {
        "$setElementOrder/ownerReferences": [{ uid: oddText(random) }],
        ownerReferences: [{ uid: oddText(random) }],
      },
    },
    { spec: { $retainKeys: [oddText(random)], [oddText(random)]: oddValue(random) } },
    { status: { conditions: [{ type: oddText(random), status: "True", $patch: oddText(random) }] } },
    {
      metadata: {
        managedFields: [
          {
            manager: "m",
            operation: "Apply",
            apiVersion: "v1",
            fieldsType: "FieldsV1",
            fieldsV1: { [`f:${oddText(random)}`]: {}, [`k:${oddText(random)}`]: {} },
          },
        ],
      },
    },
  ]);
}

function jsonPatch(random: Random, object: object): unknown {
  const steps = (value: unknown): string => {
    if (typeof value !== "object" || value === null || chance(random, 0.3)) return "";
    const key = pick(random, [...Object.keys(value), oddText(random), "-", "0"]);
    return `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}${steps((value as Readonly<Record<string, unknown>>)[key])}`;
  };
  return Array.from({ length: 1 + Math.floor(random.next() * 4) }, () => ({
    op: pick(random, ["add", "remove", "replace", "move", "copy", "test", "constructor"]),
    path: steps(object),
    ...(chance(random, 0.4) && { from: steps(object) }),
    ...(chance(random, 0.9) && { value: oddValue(random) }),
  }));
}
