import type { Attack } from "../attack.ts";
import { mostBytes } from "../shapes/shapes.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const reviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

const many = <T>(count: number, one: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => one(index));
const members = (count: number, value: (index: number) => unknown) =>
  Object.fromEntries(many(count, (index) => [`k${index}`, value(index)]));
const nest = (open: string, depth: number, close: string) => `${open.repeat(depth)}1${close.repeat(depth)}`;
const typed = (type: string) => ({ "content-type": type });

/** A body that any user may post: the server reads it before it knows the content. */
function toReview(name: string, body: () => string, type = "application/json"): Attack {
  return {
    name: `anybody's review ${name}`,
    run: async ({ send }) => {
      await send("anybody", "POST", reviews, { headers: typed(type), body: body() });
    },
  };
}

function toPatch(name: string, type: string, body: () => string): Attack {
  return {
    name: `a ${name}`,
    run: async ({ send }) => {
      await send("admin", "POST", configMaps, { body: '{"metadata":{"name":"patched"},"data":{"a":"x"}}' });
      const url = `${configMaps}/patched?fieldManager=m&force=true`;
      const path = type === "application/apply-patch+yaml" ? url : `${configMaps}/patched`;
      await send("admin", "PATCH", path, { headers: typed(type), body: body() });
    },
  };
}

function toDefinition(name: string, schema: () => object | string): Attack {
  return {
    name: `a definition ${name}`,
    run: async ({ send }) => {
      const made = schema();
      const text = typeof made === "string" ? made : JSON.stringify(made);
      const body = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"things.attack.io"},
        "spec":{"group":"attack.io","names":{"plural":"things","kind":"Thing"},"scope":"Namespaced","versions":[
        {"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":${text}}}]}}`;
      await send("admin", "POST", definitions, { body });
      const things = "/apis/attack.io/v1/namespaces/default/things";
      const thing = { apiVersion: "attack.io/v1", kind: "Thing", metadata: { name: "t" } };
      const spec = members(20_000, () => "x");
      await send("admin", "POST", things, { body: JSON.stringify({ ...thing, spec }) });
      await send("admin", "DELETE", `${definitions}/things.attack.io`);
    },
  };
}

const text = { type: "string" };

/** Attacks that take a second or more each; one of each kind runs in every test. */
const slow = [
  "in YAML with a long flow",
  "in YAML with anchors",
  "in YAML with nested flows",
  "in YAML with one indented block",
  "with 20,000 defaults",
  "with 10,000 junctors",
  "with 1,000 rules",
  "nested 2,000 deep",
];

/** Bodies that are hostile as text, whatever they contain. */
export const bodies: readonly Attack[] = all().map((attack) =>
  slow.some((end) => attack.name.endsWith(end)) ? { ...attack, slow: true } : attack,
);

function all(): readonly Attack[] {
  return [
    toReview("with 40,000 unknown fields", () => JSON.stringify({ spec: {}, ...members(40_000, () => 1) })),
    toReview("with unknown fields of long names", () =>
      JSON.stringify(members(3, () => 1)).replaceAll("k", "é".repeat(400_000)),
    ),
    toReview("with the same key 60,000 times", () => `{"spec":{},${many(60_000, () => '"a":1').join(",")}}`),
    toReview("of a million commas", () => `[${many(1_000_000, () => 1).join(",")}]`),
    toReview("nested in lists", () => nest("[", 9_999, "]")),
    toReview("nested in objects", () => `{"a":${nest('{"a":', 9_998, "}")}}`),
    toReview("nested without end", () => "[".repeat(mostBytes)),
    toReview(
      "in YAML with 60,000 lines",
      () => many(60_000, (i) => `k${i}: v`).join("\n"),
      "application/yaml",
    ),
    toReview("in YAML with nested flows", () => nest("[", 9_000, "]"), "application/yaml"),
    toReview("in YAML with open flows", () => "[".repeat(mostBytes), "application/yaml"),
    toReview("in YAML with a long text", () => `a: "${"x".repeat(mostBytes)}`, "application/yaml"),
    toReview(
      "in YAML with a long flow",
      () => `a: [${many(60_000, (i) => i).join(", ")}]`,
      "application/yaml",
    ),
    toReview(
      "in YAML with anchors",
      () => many(30_000, (i) => `k${i}: &a${i} x`).join("\n"),
      "application/yaml",
    ),
    toReview(
      "in YAML with aliases",
      () => `a: &a x\n${many(60_000, (i) => `k${i}: *a`).join("\n")}`,
      "application/yaml",
    ),
    toReview("in YAML with comments", () => "#\n".repeat(mostBytes / 2), "application/yaml"),
    toReview(
      "in YAML with one indented block",
      () => `a: |\n${many(100_000, () => "  x").join("\n")}`,
      "application/yaml",
    ),
    toReview("in YAML with empty documents", () => "---\n".repeat(mostBytes / 4), "application/yaml"),
    toReview(
      "in YAML nested by indentation",
      () => many(1_500, (i) => `${" ".repeat(i)}a:`).join("\n"),
      "application/yaml",
    ),
    toReview("in YAML of dashes", () => "- ".repeat(mostBytes / 2), "application/yaml"),
    toReview("in YAML with tabs and spaces", () => `a:${" \t".repeat(mostBytes / 2)}`, "application/yaml"),
    toReview("in YAML with explicit keys", () => "? ".repeat(mostBytes / 2), "application/yaml"),
    toReview(
      "in protobuf of zeros",
      () => `k8s\0${"\0".repeat(mostBytes)}`,
      "application/vnd.kubernetes.protobuf",
    ),
    toReview(
      "in protobuf of groups",
      () => `k8s\0${"\u000b".repeat(mostBytes)}`,
      "application/vnd.kubernetes.protobuf",
    ),
    toPatch(
      "merge patch nested 9,000 deep",
      "application/merge-patch+json",
      () => `{"a":${nest('{"a":', 9_000, "}")}}`,
    ),
    toPatch(
      "strategic patch nested 9,000 deep",
      "application/strategic-merge-patch+json",
      () => `{"metadata":${nest('{"a":', 9_000, "}")}}`,
    ),
    toPatch(
      "JSON patch nested 9,000 deep",
      "application/json-patch+json",
      () => `[{"op":"add","path":"/data/b","value":${nest('{"a":', 9_000, "}")}}]`,
    ),
    toPatch(
      "JSON patch with a path of 9,000 steps",
      "application/json-patch+json",
      () => `[{"op":"add","path":"${"/a".repeat(9_000)}","value":1}]`,
    ),
    toPatch(
      "JSON patch that tests a deep value",
      "application/json-patch+json",
      () => `[{"op":"test","path":"/data","value":${nest("[", 9_000, "]")}}]`,
    ),
    toPatch("JSON patch of 10,000 tests", "application/json-patch+json", () =>
      JSON.stringify(many(10_000, () => ({ op: "test", path: "/data/a", value: "x" }))),
    ),
    toPatch(
      "configuration nested 900 deep",
      "application/apply-patch+yaml",
      () =>
        `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"patched"},"data":${nest('{"a":', 900, "}")}}`,
    ),
    toPatch(
      "configuration nested 9,000 deep",
      "application/apply-patch+yaml",
      () =>
        `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"patched"},"data":${nest('{"a":', 9_000, "}")}}`,
    ),
    toPatch(
      "configuration whose apiVersion is a list",
      "application/apply-patch+yaml",
      () => '{"apiVersion":["v1"],"kind":{},"metadata":{"name":"patched"}}',
    ),
    toPatch("configuration without fields of 30,000 names", "application/apply-patch+yaml", () =>
      JSON.stringify({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "patched" },
        ...members(30_000, () => 1),
      }),
    ),
    toPatch("configuration of 30,000 keys", "application/apply-patch+yaml", () =>
      JSON.stringify({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "patched" },
        data: members(30_000, () => "x"),
      }),
    ),
    toPatch("merge patch of 60,000 finalizers", "application/merge-patch+json", () =>
      JSON.stringify({ metadata: { finalizers: many(60_000, (i) => `a.io/x${i}`) } }),
    ),
    toPatch("strategic patch that orders 30,000 owners", "application/strategic-merge-patch+json", () =>
      JSON.stringify({
        metadata: {
          "$setElementOrder/ownerReferences": many(15_000, (i) => ({ uid: `u${i}` })),
          ownerReferences: many(15_000, (i) => ({ uid: `u${i}`, $patch: "delete" })),
        },
      }),
    ),
    toDefinition("with 20,000 properties", () => ({
      type: "object",
      properties: { spec: { type: "object", properties: members(20_000, () => text) } },
    })),
    toDefinition(
      "nested 2,000 deep",
      () =>
        `{"type":"object","properties":{"spec":${'{"type":"object","properties":{"a":'.repeat(2_000)}{"type":"string"}${"}}".repeat(2_000)}}}`,
    ),
    toDefinition(
      "nested in items 2,000 deep",
      () =>
        `{"type":"object","properties":{"spec":${'{"type":"array","items":'.repeat(2_000)}{"type":"string"}${"}".repeat(2_000)}}}`,
    ),
    toDefinition(
      "nested in junctors 2,000 deep",
      () => `${'{"type":"object","not":'.repeat(2_000)}{"type":"object"}${"}".repeat(2_000)}`,
    ),
    toDefinition("with 30,000 values of an enum", () => ({
      type: "object",
      properties: {
        spec: {
          type: "object",
          additionalProperties: { type: "string", enum: many(30_000, (i) => `e${i}`) },
        },
      },
    })),
    toDefinition("with 5,000 patterns", () => ({
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: members(5_000, (i) => ({ type: "string", pattern: `^(a|b${i}){1,50}$` })),
        },
      },
    })),
    toDefinition("with 1,000 rules", () => ({
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: members(1_000, () => ({
            type: "string",
            "x-kubernetes-validations": [{ rule: "self.size() < 10 || self.matches('^a+$')" }],
          })),
        },
      },
    })),
    toDefinition("with 20,000 names that are required", () => ({
      type: "object",
      properties: { spec: { type: "object", required: many(20_000, (i) => `r${i}`) } },
    })),
    toDefinition("with 20,000 defaults", () => ({
      type: "object",
      properties: {
        spec: { type: "object", properties: members(15_000, () => ({ type: "string", default: "x" })) },
      },
    })),
    toDefinition("with 10,000 junctors", () => ({
      type: "object",
      properties: {
        spec: {
          type: "object",
          additionalProperties: { type: "string", anyOf: many(10_000, (i) => ({ minLength: i })) },
        },
      },
    })),
  ];
}
