import { once } from "node:events";
import { type ClientHttp2Session, type ClientHttp2Stream, constants } from "node:http2";
import { beforeAll, describe, expect, test } from "vitest";
import { type HttpCall, useHttpsServer } from "./https-server.suite.ts";

const server = useHttpsServer();
const configMaps = "/api/v1/namespaces/default/configmaps";
const pods = "/api/v1/namespaces/default/pods";
const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
const services = "/api/v1/namespaces/default/services";
const text = (value: unknown) => JSON.stringify(value);
const configMap = (more: object = {}) =>
  text({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "new" }, ...more });
const as = (type: string, body: string | Uint8Array): HttpCall => ({
  headers: { "content-type": type },
  body,
});
const yaml = (body: string) => as("application/yaml", body);
const merge = (body: unknown) => as("application/merge-patch+json", text(body));
const accept = (type: string): HttpCall => ({ headers: { accept: type } });

beforeAll(async () => {
  const { bed } = server();
  await bed.make(configMaps, { metadata: { name: "old" }, data: { k: "v" } });
  await bed.make(configMaps, { metadata: { name: "frozen" }, immutable: true, data: { k: "v" } });
  await bed.make(leases, { metadata: { name: "l" } });
  await bed.make(services, {
    metadata: { name: "s" },
    spec: { clusterIP: "10.96.0.77", ports: [{ port: 80 }] },
  });
});

type Case = readonly [
  what: string,
  method: string,
  path: string,
  call: HttpCall,
  code: number,
  reason: string,
  message: string | RegExp,
];

const unrecognized = (why: string) =>
  `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: ${why}`;
const noKind = (kind: string, version: string) =>
  `${kind} in version "${version.split("/").at(-1)}" cannot be handled as a ConfigMap: no kind "${kind}" is registered for version "${version}" in scheme "pkg/api/legacyscheme/scheme.go:30"`;
const inVersion = (why: string) => `ConfigMap in version "v1" cannot be handled as a ConfigMap: ${why}`;
const deep = (open: string, close: string, levels: number) =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"new"},"x":${open.repeat(levels)}1${close.repeat(levels)}}`;
const bomb = ["a0: &a0 [x,x,x,x,x,x,x,x,x,x]"]
  .concat(Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(10)}]`))
  .join("\n");

const noSuchPath = "the server could not find the requested resource";
const noSuchMethod = "the server does not allow this method on the requested resource";

const bodies: readonly Case[] = [
  [
    "no body",
    "POST",
    configMaps,
    {},
    400,
    "BadRequest",
    unrecognized("unexpected end of JSON input (<empty>)"),
  ],
  [
    "cut JSON",
    "POST",
    configMaps,
    { body: '{"apiVersion":"v1","kind":"ConfigMap","meta' },
    400,
    "BadRequest",
    unrecognized('unexpected end of JSON input ({"apiVersion":"v1","kind":"Con ...)'),
  ],
  [
    "no JSON",
    "POST",
    configMaps,
    { body: "hello" },
    400,
    "BadRequest",
    unrecognized("invalid character 'h' looking for beginning of value (68656c6c6f)"),
  ],
  ["a list", "POST", configMaps, { body: "[]" }, 400, "BadRequest", /cannot unmarshal array/],
  ["null", "POST", configMaps, { body: "null" }, 400, "BadRequest", /./],
  [
    "a kind that is a number",
    "POST",
    configMaps,
    { body: '{"kind":1}' },
    400,
    "BadRequest",
    /Go struct field \.kind of type string/,
  ],
  [
    "another kind",
    "POST",
    configMaps,
    { body: text({ apiVersion: "v1", kind: "Secret", metadata: { name: "new" } }) },
    400,
    "BadRequest",
    'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
  ],
  [
    "a kind that nobody knows",
    "POST",
    configMaps,
    { body: configMap({ kind: "Foo" }) },
    400,
    "BadRequest",
    noKind("Foo", "v1"),
  ],
  [
    "a version that nobody knows",
    "POST",
    configMaps,
    { body: configMap({ apiVersion: "v9" }) },
    400,
    "BadRequest",
    noKind("ConfigMap", "v9"),
  ],
  [
    "a field of a wrong type",
    "POST",
    configMaps,
    { body: configMap({ data: 5 }) },
    400,
    "BadRequest",
    inVersion("json: cannot unmarshal number into Go struct field ConfigMap.data of type map[string]string"),
  ],
  [
    "a value of a wrong type",
    "POST",
    configMaps,
    { body: configMap({ data: { k: true } }) },
    400,
    "BadRequest",
    inVersion("json: cannot unmarshal bool into Go struct field ConfigMap.data of type string"),
  ],
  [
    "bytes that are no base64",
    "POST",
    configMaps,
    { body: configMap({ binaryData: { k: "%" } }) },
    400,
    "BadRequest",
    inVersion("illegal base64 data at input byte 0"),
  ],
  [
    "lists in 20,000 levels",
    "POST",
    configMaps,
    { body: deep("[", "]", 20_000) },
    400,
    "BadRequest",
    /exceeded max depth/,
  ],
  [
    "broken YAML",
    "POST",
    configMaps,
    yaml("a: [b"),
    400,
    "BadRequest",
    /^error converting YAML to JSON: yaml: line 1: /,
  ],
  ["two YAML documents", "POST", configMaps, yaml("a: b\n---\nc: d"), 400, "BadRequest", /YAML/],
  [
    "a YAML bomb",
    "POST",
    configMaps,
    yaml(bomb),
    400,
    "BadRequest",
    "error converting YAML to JSON: yaml: document contains excessive aliasing",
  ],
  [
    "YAML in 20,000 levels",
    "POST",
    configMaps,
    yaml("[".repeat(20_000)),
    400,
    "BadRequest",
    /error converting YAML to JSON/,
  ],
  [
    "protobuf that is none",
    "POST",
    configMaps,
    as("application/vnd.kubernetes.protobuf", "hello"),
    400,
    "BadRequest",
    /./,
  ],
  [
    "cut protobuf",
    "POST",
    configMaps,
    as("application/vnd.kubernetes.protobuf", Buffer.from([0x6b, 0x38, 0x73, 0x00, 0x0a, 0xff])),
    400,
    "BadRequest",
    /./,
  ],
  [
    "an unknown type",
    "POST",
    configMaps,
    as("text/html", "x"),
    415,
    "UnsupportedMediaType",
    "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf",
  ],
  [
    "a patch of an unknown type",
    "PATCH",
    `${configMaps}/old`,
    as("application/json", "{}"),
    415,
    "UnsupportedMediaType",
    "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml",
  ],
  [
    "a body of 3 MiB and more",
    "POST",
    configMaps,
    { body: configMap({ data: { k: "x".repeat(3 * 2 ** 20) } }) },
    413,
    "RequestEntityTooLarge",
    "Request entity too large: limit is 3145728",
  ],
  [
    "the same with its length announced",
    "POST",
    configMaps,
    { headers: { "content-length": String(4 * 2 ** 20) }, body: "x".repeat(4 * 2 ** 20) },
    413,
    "RequestEntityTooLarge",
    "Request entity too large: limit is 3145728",
  ],
  [
    "a JSON patch that is none",
    "PATCH",
    `${configMaps}/old`,
    as("application/json-patch+json", '{"a":1}'),
    400,
    "BadRequest",
    /./,
  ],
  [
    "a JSON patch of what is not there",
    "PATCH",
    `${configMaps}/old`,
    as("application/json-patch+json", '[{"op":"remove","path":"/data/x"}]'),
    422,
    "Invalid",
    /./,
  ],
  [
    "a JSON patch whose test fails",
    "PATCH",
    `${configMaps}/old`,
    as("application/json-patch+json", '[{"op":"test","path":"/data/k","value":"w"}]'),
    422,
    "Invalid",
    /./,
  ],
  [
    "a cut merge patch",
    "PATCH",
    `${configMaps}/old`,
    as("application/merge-patch+json", '{"a"'),
    400,
    "BadRequest",
    /^error decoding patch: /,
  ],
  [
    "a patch without a body",
    "PATCH",
    `${configMaps}/old`,
    as("application/merge-patch+json", ""),
    400,
    "BadRequest",
    /./,
  ],
];

const objects: readonly Case[] = [
  [
    "a name that is none",
    "POST",
    configMaps,
    { body: configMap({ metadata: { name: "A_b" } }) },
    422,
    "Invalid",
    /^ConfigMap "A_b" is invalid: metadata\.name: Invalid value: "A_b": a lowercase RFC 1123 subdomain must/,
  ],
  [
    "no name",
    "POST",
    configMaps,
    { body: configMap({ metadata: {} }) },
    422,
    "Invalid",
    'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
  ],
  [
    "a label that is none",
    "POST",
    configMaps,
    { body: configMap({ metadata: { name: "new", labels: { "a b": "c" } } }) },
    422,
    "Invalid",
    /metadata\.labels/,
  ],
  [
    "a name that is taken",
    "POST",
    configMaps,
    { body: configMap({ metadata: { name: "old" } }) },
    409,
    "AlreadyExists",
    'configmaps "old" already exists',
  ],
  [
    "a resourceVersion on create",
    "POST",
    configMaps,
    { body: configMap({ metadata: { name: "new", resourceVersion: "1" } }) },
    500,
    "",
    "resourceVersion should not be set on objects to be created",
  ],
  [
    "another namespace",
    "POST",
    configMaps,
    { body: configMap({ metadata: { name: "new", namespace: "other" } }) },
    400,
    "BadRequest",
    "the namespace of the provided object does not match the namespace sent on the request",
  ],
  [
    "a missing namespace",
    "POST",
    "/api/v1/namespaces/none/configmaps",
    { body: configMap() },
    404,
    "NotFound",
    'namespaces "none" not found',
  ],
  [
    "another name on PUT",
    "PUT",
    `${configMaps}/old`,
    { body: configMap() },
    400,
    "BadRequest",
    "the name of the object (new) does not match the name on the URL (old)",
  ],
  [
    "no name on PUT",
    "PUT",
    `${configMaps}/old`,
    { body: configMap({ metadata: {} }) },
    400,
    "BadRequest",
    "the name of the object (old based on URL) was undeterminable: name must be provided",
  ],
  [
    "PUT of what is not there",
    "PUT",
    `${configMaps}/new`,
    { body: configMap() },
    404,
    "NotFound",
    'configmaps "new" not found',
  ],
  [
    "PATCH of what is not there",
    "PATCH",
    `${configMaps}/new`,
    merge({}),
    404,
    "NotFound",
    'configmaps "new" not found',
  ],
  [
    "DELETE of what is not there",
    "DELETE",
    `${configMaps}/new`,
    {},
    404,
    "NotFound",
    'configmaps "new" not found',
  ],
  [
    "a stale resourceVersion",
    "PUT",
    `${configMaps}/old`,
    { body: configMap({ metadata: { name: "old", resourceVersion: "1" } }) },
    409,
    "Conflict",
    'Operation cannot be fulfilled on configmaps "old": the object has been modified; please apply your changes to the latest version and try again',
  ],
  [
    "a stale resourceVersion in a patch",
    "PATCH",
    `${configMaps}/old`,
    merge({ metadata: { resourceVersion: "1" } }),
    409,
    "Conflict",
    /the object has been modified/,
  ],
  [
    "another uid",
    "PUT",
    `${configMaps}/old`,
    { body: configMap({ metadata: { name: "old", uid: "u" } }) },
    409,
    "Conflict",
    /Precondition failed: UID in precondition: u, UID in object meta: /,
  ],
  [
    "another uid on DELETE",
    "DELETE",
    `${configMaps}/old`,
    { body: text({ preconditions: { uid: "u" } }) },
    409,
    "Conflict",
    /^Operation cannot be fulfilled on ConfigMap "old": the UID in the precondition \(u\) does not match the UID in record/,
  ],
  [
    "a stale resourceVersion on DELETE",
    "DELETE",
    `${configMaps}/old`,
    { body: text({ preconditions: { resourceVersion: "1" } }) },
    409,
    "Conflict",
    /the ResourceVersion in the precondition \(1\) does not match/,
  ],
  [
    "an update of a Lease without resourceVersion",
    "PUT",
    `${leases}/l`,
    { body: text({ metadata: { name: "l" } }) },
    422,
    "Invalid",
    'leases.coordination.k8s.io "l" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
  ],
  [
    "a change of an immutable ConfigMap",
    "PATCH",
    `${configMaps}/frozen`,
    merge({ data: { k: "w" } }),
    422,
    "Invalid",
    /field is immutable when `immutable` is set/,
  ],
  [
    "a change of an immutable field",
    "PATCH",
    `${services}/s`,
    merge({ spec: { clusterIP: "10.96.0.78", clusterIPs: ["10.96.0.78"] } }),
    422,
    "Invalid",
    /may not change once set|field is immutable/,
  ],
  [
    "a change of managed metadata",
    "PATCH",
    `${configMaps}/old`,
    merge({ metadata: { name: "other" } }),
    400,
    "BadRequest",
    "the name of the object (other) does not match the name on the URL (old)",
  ],
];

const queries: readonly Case[] = [
  [
    "fieldValidation",
    "POST",
    `${configMaps}?fieldValidation=Maybe`,
    { body: configMap() },
    422,
    "Invalid",
    'CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "Maybe": supported values: "", "Ignore", "Strict", "Warn"',
  ],
  [
    "dryRun on create",
    "POST",
    `${configMaps}?dryRun=Some`,
    { body: configMap() },
    422,
    "Invalid",
    /^CreateOptions\.meta\.k8s\.io "" is invalid: dryRun: Unsupported value: /,
  ],
  [
    "dryRun on update",
    "PUT",
    `${configMaps}/old?dryRun=Some`,
    { body: configMap({ metadata: { name: "old" } }) },
    422,
    "Invalid",
    /^UpdateOptions/,
  ],
  ["dryRun on patch", "PATCH", `${configMaps}/old?dryRun=Some`, merge({}), 422, "Invalid", /^PatchOptions/],
  ["dryRun on delete", "DELETE", `${configMaps}/old?dryRun=Some`, {}, 422, "Invalid", /^DeleteOptions/],
  [
    "a long fieldManager",
    "POST",
    `${configMaps}?fieldManager=${"m".repeat(129)}`,
    { body: configMap() },
    422,
    "Invalid",
    /fieldManager/,
  ],
  [
    "an apply without fieldManager",
    "PATCH",
    `${configMaps}/old`,
    as("application/apply-patch+yaml", configMap()),
    422,
    "Invalid",
    'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
  ],
  [
    "limit",
    "GET",
    `${configMaps}?limit=x`,
    {},
    400,
    "BadRequest",
    'strconv.ParseInt: parsing "x": invalid syntax',
  ],
  [
    "timeoutSeconds",
    "GET",
    `${configMaps}?watch=1&timeoutSeconds=x`,
    {},
    400,
    "BadRequest",
    'strconv.ParseInt: parsing "x": invalid syntax',
  ],
  [
    "gracePeriodSeconds",
    "DELETE",
    `${configMaps}/old?gracePeriodSeconds=x`,
    {},
    400,
    "BadRequest",
    'strconv.ParseInt: parsing "x": invalid syntax',
  ],
  ["timeout", "GET", `${configMaps}?timeout=x`, {}, 400, "BadRequest", /invalid duration/],
  [
    "propagationPolicy",
    "DELETE",
    `${configMaps}/old?propagationPolicy=Maybe`,
    {},
    422,
    "Invalid",
    /^DeleteOptions\.meta\.k8s\.io "" is invalid: propagationPolicy: Unsupported value: "Maybe"/,
  ],
  [
    "both ways to orphan",
    "DELETE",
    `${configMaps}/old?propagationPolicy=Orphan&orphanDependents=true`,
    {},
    422,
    "Invalid",
    /orphanDependents and deletionPropagation cannot be both set/,
  ],
  ["labelSelector", "GET", `${configMaps}?labelSelector=a%20b`, {}, 400, "BadRequest", /./],
  [
    "fieldSelector",
    "GET",
    `${configMaps}?fieldSelector=spec.x%3D1`,
    {},
    400,
    "BadRequest",
    "field label not supported: spec.x",
  ],
  ["continue", "GET", `${configMaps}?continue=x`, {}, 400, "BadRequest", /continue key is not valid/],
  ["resourceVersion", "GET", `${configMaps}?resourceVersion=x`, {}, 400, "BadRequest", /invalid syntax/],
  [
    "resourceVersionMatch",
    "GET",
    `${configMaps}?resourceVersionMatch=Maybe&resourceVersion=1`,
    {},
    422,
    "Invalid",
    /resourceVersionMatch: Unsupported value: "Maybe"/,
  ],
];

const paths: readonly Case[] = [
  ["an unknown path", "GET", "/nowhere", {}, 404, "NotFound", noSuchPath],
  ["an unknown resource", "GET", "/api/v1/things", {}, 404, "NotFound", noSuchPath],
  ["an unknown group", "GET", "/apis/example.com/v1/things", {}, 404, "NotFound", noSuchPath],
  ["an unknown subresource", "GET", `${configMaps}/old/status`, {}, 404, "NotFound", noSuchPath],
  ["one of a kind without its namespace", "GET", "/api/v1/configmaps/old", {}, 404, "NotFound", noSuchPath],
  [
    "POST to an object",
    "POST",
    `${configMaps}/old`,
    { body: configMap() },
    405,
    "MethodNotAllowed",
    noSuchMethod,
  ],
  ["PUT to a collection", "PUT", configMaps, { body: configMap() }, 405, "MethodNotAllowed", noSuchMethod],
  ["PATCH of a collection", "PATCH", configMaps, merge({}), 405, "MethodNotAllowed", noSuchMethod],
  ["an unknown method", "BREW", `${configMaps}/old`, {}, 405, "MethodNotAllowed", noSuchMethod],
  ["DELETE of a path", "DELETE", "/version", {}, 405, "MethodNotAllowed", noSuchMethod],
  [
    "an encoded slash",
    "GET",
    `${configMaps}/a%2Fb`,
    {},
    400,
    "BadRequest",
    `Name parameter invalid: "a/b": may not contain '/'`,
  ],
  [
    "an encoded slash in a namespace",
    "GET",
    "/api/v1/namespaces/a%2Fb/configmaps",
    {},
    400,
    "BadRequest",
    /may not contain '\/'/,
  ],
  [
    "an encoded way up",
    "GET",
    `${configMaps}/%2e%2e`,
    {},
    400,
    "BadRequest",
    `Name parameter invalid: "..": may not be '..'`,
  ],
  [
    "a percent sign",
    "GET",
    `${configMaps}/a%25b`,
    {},
    400,
    "BadRequest",
    `Name parameter invalid: "a%b": may not contain '%'`,
  ],
  ["a broken escape", "GET", `${configMaps}/a%zz`, {}, 400, "BadRequest", /may not contain '%'/],
  ["a null byte", "GET", `${configMaps}/a%00b`, {}, 404, "NotFound", /not found/],
  [
    "the prototype of all things",
    "GET",
    "/api/v1/namespaces/__proto__/constructor",
    {},
    404,
    "NotFound",
    noSuchPath,
  ],
  [
    "a form that there is not",
    "GET",
    configMaps,
    accept("text/html"),
    406,
    "NotAcceptable",
    "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf",
  ],
  [
    "a Table of the wrong group",
    "GET",
    configMaps,
    accept("application/json;as=Table;g=x;v=v1"),
    406,
    "NotAcceptable",
    /only the following media types/,
  ],
];

describe.each([
  ["bodies", bodies],
  ["objects", objects],
  ["query parameters", queries],
  ["paths", paths],
])("bad %s are refused, and nothing is written", (_, cases) => {
  test.each(cases)("%s", async (_what, method, path, call, code, reason, message) => {
    const { bed, send } = server();
    const before = bed.revision;
    const answer = await send(method, path, call);
    const status = answer.json;
    expect(status).toMatchObject({ kind: "Status", apiVersion: "v1", status: "Failure", code });
    expect(answer.code).toBe(code);
    expect(status.reason ?? "").toBe(reason);
    if (typeof message === "string") expect(status.message).toBe(message);
    else expect(status.message).toMatch(message);
    expect(bed.revision).toBe(before);
  });
});

describe("fields that a kind does not have, or that stand twice", () => {
  const body =
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"NAME","extra":1},"data":{"a":"1","a":"2"},"spec":{}}';
  const problems = ['unknown field "metadata.extra"', 'unknown field "spec"', 'duplicate field "data.a"'];

  test.each(["Warn", ""])("are warned of with fieldValidation=%s", async (validation) => {
    const { send } = server();
    const name = `warn-${validation.toLowerCase()}x`;
    const { code, headers, json } = await send(
      "POST",
      `${configMaps}?dryRun=All&fieldValidation=${validation}`,
      {
        body: body.replace("NAME", name),
      },
    );
    expect(code).toBe(201);
    for (const problem of problems)
      expect(headers["warning"]).toContain(`299 - "${problem.replaceAll('"', String.raw`\"`)}"`);
    expect(json.data).toEqual({ a: "2" });
    expect(json).not.toHaveProperty("spec");
  });

  test("are passed over with Ignore", async () => {
    const { headers, code } = await server().send("POST", `${configMaps}?dryRun=All&fieldValidation=Ignore`, {
      body: body.replace("NAME", "ignored"),
    });
    expect(code).toBe(201);
    expect(headers).not.toHaveProperty("warning");
  });

  test("are refused with Strict", async () => {
    const { send, bed } = server();
    const before = bed.revision;
    const { json } = await send("POST", `${configMaps}?fieldValidation=Strict`, {
      body: body.replace("NAME", "strict"),
    });
    expect(json).toMatchObject({ code: 400, reason: "BadRequest" });
    expect(json.message).toBe(
      `ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: ${problems.join(", ")}`,
    );
    const patched = await send("PATCH", `${configMaps}/old?fieldValidation=Strict`, merge({ spec: {} }));
    expect(patched.json).toMatchObject({ code: 422, reason: "Invalid" });
    expect(patched.json.message).toContain('strict decoding error: unknown field "spec"');
    expect(bed.revision).toBe(before);
  });

  test("are found in YAML as well", async () => {
    const { send } = server();
    const { json } = await send(
      "POST",
      `${configMaps}?fieldValidation=Strict`,
      yaml("kind: ConfigMap\nmetadata: {name: some}\ndata: {a: one, a: two}\nspec: {}\n"),
    );
    expect(json.message).toContain('unknown field "spec"');
    expect(json.message).toContain('key "a" already set in map');
  });
});

describe("hostile clients", () => {
  test("keys of prototypes are keys like any other", async () => {
    const { send } = server();
    const body =
      '{"metadata":{"name":"proto","labels":{"constructor":"x"}},"data":{"__proto__":"y","constructor":"z"},"__proto__":{"polluted":true}}';
    const { text: answer } = await send("POST", `${configMaps}?dryRun=All&fieldValidation=Ignore`, { body });
    expect(answer).toContain('"data":{"__proto__":"y","constructor":"z"}');
    expect(answer).toContain('"labels":{"constructor":"x"}');
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    const patched = await send(
      "PATCH",
      `${configMaps}/old?dryRun=All`,
      as("application/merge-patch+json", '{"__proto__":{"polluted":true},"data":{"__proto__":"z"}}'),
    );
    expect(patched.code).toBeLessThan(500);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test("nests objects as deep as the limit without hurting the server", async () => {
    const { send } = server();
    const { code } = await send("POST", `${configMaps}?dryRun=All`, { body: deep('{"a":', "}", 9000) });
    expect([201, 400]).toContain(code);
  });

  test.each<readonly [how: string, leave: (stream: ClientHttp2Stream, session: ClientHttp2Session) => void]>([
    ["cuts its connection", (_, session) => session.destroy()],
    ["closes its connection", (_, session) => session.close()],
    ["takes its request back", (stream) => stream.close(constants.NGHTTP2_CANCEL)],
    ["closes its request without an error", (stream) => stream.close(constants.NGHTTP2_NO_ERROR)],
  ])("a client that %s in mid-upload stores nothing", async (_, leave) => {
    const { bed, send, open, pki } = server();
    const before = bed.revision;
    const session = open(pki.admin);
    const headers = { "content-type": "application/json", "content-length": String(configMap().length + 5) };
    const stream = session.request({ ":method": "POST", ":path": configMaps, ...headers });
    stream.on("error", () => {});
    await new Promise((resolve) => stream.write(configMap(), resolve));
    // The server has the whole object, but not the whole body.
    await send("GET", "/readyz");
    const closed = new Promise((resolve) => stream.on("close", resolve));
    leave(stream, session);
    if (!session.closed) await closed;
    session.destroy();
    for (let i = 0; i < 3; i++) expect((await send("GET", "/readyz")).text).toBe("ok");
    expect(bed.revision).toBe(before);
  });

  test("nor does one that sends less than it announced over HTTP/1.1", async () => {
    const { bed, send, raw } = server();
    const before = bed.revision;
    const socket = raw();
    await once(socket, "secureConnect");
    const body = configMap();
    socket.end(
      `POST ${configMaps} HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length + 10}\r\n\r\n${body}`,
    );
    socket.resume();
    await once(socket, "close");
    expect((await send("GET", "/readyz")).text).toBe("ok");
    expect(bed.revision).toBe(before);
  });

  test.each([
    ["huge headers", "/version", { "x-a": "a".repeat(200_000) }],
    ["a huge path", `/${"a".repeat(200_000)}`, {}],
  ])("%s cost a connection at most", async (_, path, headers) => {
    const { open, pki, send } = server();
    const session = open(pki.admin);
    const stream = session.request({ ":path": path, ...headers });
    stream.on("error", () => {});
    stream.resume();
    await new Promise((resolve) => stream.on("close", resolve));
    session.destroy();
    expect((await send("GET", "/readyz")).text).toBe("ok");
  });
});

describe("HEAD", () => {
  test("is answered without a body: by health checks with 200, by resources with 405", async () => {
    const { send } = server();
    expect(await send("HEAD", "/readyz")).toMatchObject({ code: 200, text: "" });
    expect(await send("HEAD", `${configMaps}/old`)).toMatchObject({ code: 405, text: "" });
    expect(await send("HEAD", `${pods}?watch=1`)).toMatchObject({ code: 405, text: "" });
  });
});

describe("YAML", () => {
  test("is what a client gets that prefers it, errors included", async () => {
    const { send } = server();
    const one = await send("GET", `${configMaps}/old`, accept("application/yaml, application/json;q=0.5"));
    expect(one.headers["content-type"]).toBe("application/yaml");
    expect(one.text).toContain("kind: ConfigMap\n");
    const list = await send("GET", configMaps, accept("application/yaml"));
    expect(list.text).toContain("kind: ConfigMapList\n");
    const missing = await send("GET", `${configMaps}/none`, accept("application/yaml"));
    expect(missing.text).toContain("reason: NotFound\n");
    const watch = await send("GET", `${configMaps}?watch=1`, accept("application/yaml"));
    expect(watch.code).toBe(406);
    expect(watch.text).toContain(
      "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch",
    );
    const json = await send("GET", `${configMaps}/old`, accept("application/yaml;q=0.5, application/json"));
    expect(json.json.kind).toBe("ConfigMap");
  });

  test("is read as Kubernetes reads it", async () => {
    const { send } = server();
    const { json } = await send(
      "POST",
      `${configMaps}?dryRun=All`,
      yaml("metadata:\n  name: some\ndata:\n  a: |\n    text\n"),
    );
    expect(json.data).toEqual({ a: "text\n" });
  });
});

describe("a watch flag on one object's path", () => {
  test("changes nothing: the object is the answer", async () => {
    const { json } = await server().send("GET", `${configMaps}/old?watch=1`);
    expect(json.kind).toBe("ConfigMap");
  });
});
