import { beforeAll, describe, expect, test } from "vitest";
import { type Json } from "../../src/apiserver/server.suite.ts";
import { useHttpsServer } from "../apiserver/https-server.suite.ts";
import { configMaps, type Exchange, inDefault, testExchanges } from "./wire.suite.ts";

const server = useHttpsServer();

beforeAll(async () => {
  const { bed } = server();
  for (const name of ["c", "a", "b"]) await bed.make(configMaps, { metadata: { name, labels: { name } } });
});

const token = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const v = "meta.k8s.io/v1";
const invalidOptions = 'ListOptions.meta.k8s.io "" is invalid: ';

/** The reason why each query is refused. */
const refused: readonly (readonly [query: string, code: number, message: string | RegExp])[] = [
  [
    "resourceVersion=x",
    400,
    'invalid resource version: resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
  ],
  ["limit=x", 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
  ["timeoutSeconds=x", 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
  [
    "continue=x",
    400,
    "invalid continue token: continue key is not valid: illegal base64 data at input byte 0",
  ],
  [
    "continue=ab*d",
    400,
    "invalid continue token: continue key is not valid: illegal base64 data at input byte 2",
  ],
  [
    `continue=${token({ v: "v9", rv: 1, start: "a" })}`,
    400,
    "invalid continue token: continue key is not valid: server does not recognize this encoded version v9",
  ],
  [
    `continue=${token({ v, rv: 0, start: "a" })}`,
    400,
    "invalid continue token: continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
  ],
  [
    `continue=${token({ v, rv: 1, start: "" })}`,
    400,
    "invalid continue token: continue key is not valid: encoded start key empty (version meta.k8s.io/v1)",
  ],
  [
    `continue=${token({ v, rv: 1, start: "a/../../secrets" })}`,
    400,
    "invalid continue token: continue key is not valid: a/../../secrets",
  ],
  [
    `continue=${token({ v, rv: 1, start: "a" })}&resourceVersion=5`,
    400,
    "specifying resource version is not allowed when using continue",
  ],
  ["labelSelector=a%20b", 400, /^unable to parse requirement: /],
  ["labelSelector=a%20in%20b", 400, /^unable to parse requirement: /],
  [`labelSelector=a%3D${"x".repeat(64)}`, 400, /must be no more than 63/],
  ["fieldSelector=metadata.name", 400, "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
  [
    "fieldSelector=spec.x%3D1",
    400,
    '"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
  ],
  [
    "sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
    422,
    `${invalidOptions}[resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided, sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list]`,
  ],
];

describe("a list is refused", () => {
  testExchanges(
    server,
    refused.map(([query, code, message]): Exchange => [
      `?${query}`,
      "GET",
      `${configMaps}?${query}`,
      {},
      { code, message },
    ]),
  );
});

describe("a list", () => {
  const names = ({ items }: Json) => items.map(({ metadata }: Json) => metadata.name);

  test("is in the order of names, whenever the objects were created", async () => {
    const { json } = await server().send("GET", configMaps);
    expect(names(json)).toEqual(["a", "b", "c"]);
    expect(json.metadata.resourceVersion).toBe(String(server().bed.revision));
  });

  test("has on each page the token of the next one and the number of remaining objects", async () => {
    const { send } = server();
    const pages: Json[] = [];
    for (let next = ""; ;) {
      const { json } = await send("GET", `${configMaps}?limit=1${next === "" ? "" : `&continue=${next}`}`);
      pages.push([...names(json), json.metadata.remainingItemCount]);
      next = json.metadata.continue ?? "";
      if (next === "") break;
      expect(JSON.parse(Buffer.from(next, "base64url").toString())).toMatchObject({
        v: "meta.k8s.io/v1",
        rv: Number(json.metadata.resourceVersion),
      });
    }
    expect(pages).toEqual([
      ["a", 2],
      ["b", 1],
      ["c", undefined],
    ]);
  });

  test("offers an inconsistent continuation when the token's revision was compacted", async () => {
    const { send, bed } = server();
    const first = (await send("GET", `${configMaps}?limit=1`)).json;
    await bed.make(inDefault("secrets"), { metadata: { name: "later" } });
    await bed.store.compact(bed.revision);
    const { code, json } = await send("GET", `${configMaps}?limit=1&continue=${first.metadata.continue}`);
    expect([code, json.reason]).toEqual([410, "Expired"]);
    expect(JSON.parse(Buffer.from(json.metadata.continue, "base64url").toString())).toMatchObject({ rv: -1 });
    const rest = await send("GET", `${configMaps}?continue=${json.metadata.continue}`);
    expect(names(rest.json)).toEqual(["b", "c"]);
  });

  test("without items is empty, never null", async () => {
    const { json } = await server().send("GET", `${configMaps}?labelSelector=none`);
    expect(json.items).toEqual([]);
  });
});

describe("one object", () => {
  testExchanges(server, [
    [
      "at any past revision is the present object",
      "GET",
      `${configMaps}/a?resourceVersion=1`,
      {},
      { code: 200 },
    ],
    ["at revision 0 is the present object", "GET", `${configMaps}/a?resourceVersion=0`, {}, { code: 200 }],
    [
      "at a future revision is a timeout",
      "GET",
      `${configMaps}/a?resourceVersion=999999`,
      {},
      {
        code: 504,
        json: { reason: "Timeout", details: { causes: [{ reason: "ResourceVersionTooLarge" }] } },
        message: /^Timeout: Too large resource version: 999999, current: \d+$/,
      },
    ],
  ]);
});

describe("selectable fields", () => {
  const events = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];
  test.each([
    [
      inDefault("pods"),
      [
        ...["nodeName", "restartPolicy", "schedulerName", "serviceAccountName", "hostNetwork"].map(
          (one) => `spec.${one}`,
        ),
        ...["phase", "podIP", "podIPs", "nominatedNodeName"].map((one) => `status.${one}`),
      ],
    ],
    ["/api/v1/nodes", ["spec.unschedulable"]],
    ["/api/v1/namespaces", ["status.phase"]],
    [inDefault("secrets"), ["type"]],
    [inDefault("services"), ["spec.clusterIP", "spec.type"]],
    [inDefault("replicationcontrollers"), ["status.replicas"]],
    ["/apis/batch/v1/namespaces/default/jobs", ["status.successful"]],
    [
      inDefault("events"),
      [...events.map((one) => `involvedObject.${one}`), "reason", "reportingComponent", "source", "type"],
    ],
    ["/apis/certificates.k8s.io/v1/certificatesigningrequests", ["spec.signerName"]],
    ["/apis/resource.k8s.io/v1/resourceslices", ["spec.nodeName", "spec.driver"]],
  ])("of %s", async (path, fields) => {
    const { send } = server();
    const all = ["metadata.name", "metadata.namespace", ...fields];
    for (const operator of ["=", "==", "!="]) {
      const selector = all.map((field) => `${field}${operator}a\\,b\\=c\\\\d`).join(",");
      const { code, json } = await send("GET", `${path}?fieldSelector=${encodeURIComponent(selector)}`);
      expect([code, json.message]).toEqual([200, undefined]);
    }
    const wrong = await send("GET", `${path}?fieldSelector=spec.none%3D1`);
    expect(wrong.json).toMatchObject({ code: 400, message: "field label not supported: spec.none" });
  });
});
