import { beforeAll, describe, expect, test } from "vitest";
import { pods as podKind } from "../../src/api/core/pod/schema.ts";
import { configMaps as configMapKind } from "../../src/api/core/config-map/schema.ts";
import { podBody } from "../../src/apiserver/server.suite.ts";
import { listMessage } from "../../src/meta/list-message.ts";
import { decodeEnvelope, encodeEnvelope } from "../../src/meta/protobuf/envelope.ts";
import { useHttpsServer } from "../apiserver/https-server.suite.ts";
import {
  accept,
  applyPatch,
  as,
  configMaps,
  type Exchange,
  inDefault,
  json,
  mergePatch,
  protobuf,
  testExchanges,
} from "./wire.suite.ts";

const server = useHttpsServer();
const one = `${configMaps}/one`;

beforeAll(async () => {
  await server().bed.make(configMaps, { metadata: { name: "one" }, data: { k: "v" } });
});

const table = "application/json;as=Table;v=v1;g=meta.k8s.io";
const metadata = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
const metadataList = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";

/** Returns the bytes of an answer, which `send` would read as text. */
async function bytesOf(path: string, type: string): Promise<{ type: string | undefined; bytes: Buffer }> {
  const stream = server().session.request({ ":path": path, accept: type });
  let contentType: string | undefined;
  stream.once("response", (headers) => (contentType = headers["content-type"]));
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return { type: contentType, bytes: Buffer.concat(chunks) };
}

describe("protobuf", () => {
  test("is an envelope: k8s, a zero byte, and an Unknown that names version and kind", async () => {
    const { type, bytes } = await bytesOf(one, `${protobuf},application/json`);
    expect(type).toBe(protobuf);
    expect(bytes.subarray(0, 4)).toEqual(Buffer.from([0x6b, 0x38, 0x73, 0x00]));
    // Unknown{1 typeMeta{1 "v1", 2 "ConfigMap"}, 2 raw …}
    expect(bytes.subarray(4, 21).toString("latin1")).toBe("\n\x0f\n\x02v1\x12\tConfigMap");
    expect(bytes[21]).toBe(0x12);
    expect(decodeEnvelope(bytes, configMapKind.schema)).toMatchObject({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "one" },
      data: { k: "v" },
    });
  });

  test("holds lists as well", async () => {
    const { bytes } = await bytesOf(configMaps, protobuf);
    expect(decodeEnvelope(bytes, listMessage(configMapKind))).toMatchObject({
      kind: "ConfigMapList",
      metadata: { resourceVersion: String(server().bed.revision) },
      items: [{ metadata: { name: "one" }, data: { k: "v" } }],
    });
  });

  test("carries a Pod both ways without loss", async () => {
    const { send } = server();
    const pods = inDefault("pods");
    const body = podBody("p", {
      spec: {
        activeDeadlineSeconds: 60,
        containers: [
          {
            name: "main",
            image: "example.com/main",
            resources: { requests: { cpu: "1000m", memory: "64Mi" } },
            livenessProbe: { httpGet: { port: "web", path: "/" } },
            readinessProbe: { tcpSocket: { port: 80 } },
          },
        ],
      },
    });
    const sealed = encodeEnvelope(body, { ...podKind });
    const answers = await Promise.all(
      [as(protobuf, sealed), json(body)].map((call) => send("POST", `${pods}?dryRun=All`, call)),
    );
    const [fromProtobuf, fromJson] = answers.map(({ json }) => json.spec);
    const withoutToken = ({ volumes: _, containers, ...spec }: typeof fromJson) => ({
      ...spec,
      containers: containers.map(({ volumeMounts: __, ...container }: typeof fromJson) => container),
    });
    expect(withoutToken(fromProtobuf)).toEqual(withoutToken(fromJson));
    expect(fromJson.containers[0].resources.requests).toEqual({ cpu: "1", memory: "64Mi" });
    expect(fromJson.containers[0].livenessProbe.httpGet.port).toBe("web");
    expect(fromJson.containers[0].readinessProbe.tcpSocket.port).toBe(80);
  });

  test("carries the bytes of a Secret, which JSON shows in base64", async () => {
    const { send } = server();
    const value = Buffer.from([0, 255, 10]).toString("base64");
    const made = await send(
      "POST",
      inDefault("secrets"),
      json({ metadata: { name: "s" }, data: { k: value } }),
    );
    expect(made.json.data.k).toBe("AP8K");
    const { bytes } = await bytesOf(`${inDefault("secrets")}/s`, protobuf);
    expect(bytes.includes(Buffer.from([0x12, 3, 0, 255, 10]))).toBe(true);
  });
});

describe("an accepted form", () => {
  const listed: readonly Exchange[] = [
    [
      "of a list: a Table",
      "GET",
      configMaps,
      accept(table),
      { code: 200, json: { kind: "Table", apiVersion: "meta.k8s.io/v1" } },
    ],
    [
      "of a list: a Table, even after a protobuf form that does not exist",
      "GET",
      configMaps,
      accept(`${protobuf};as=Table;v=v1;g=meta.k8s.io,${table}`),
      { code: 200, json: { kind: "Table" } },
    ],
    [
      "of a list: JSON, when the Table's version does not exist",
      "GET",
      configMaps,
      accept(`${table.replace("v=v1;", "v=v9;")},application/json`),
      { code: 200, json: { kind: "ConfigMapList" } },
    ],
    [
      "of a list: its metadata",
      "GET",
      configMaps,
      accept(metadataList),
      { code: 200, json: { kind: "PartialObjectMetadataList", items: [{ kind: "PartialObjectMetadata" }] } },
    ],
    [
      "of an object: its metadata",
      "GET",
      one,
      accept(metadata),
      { code: 200, json: { kind: "PartialObjectMetadata", metadata: { name: "one" } } },
    ],
    [
      "of an object: a Table",
      "GET",
      one,
      accept(table),
      { code: 200, json: { kind: "Table", rows: [{ cells: ["one", 1, "0s"] }] } },
    ],
    [
      "of a created object: a Table",
      "POST",
      `${configMaps}?dryRun=All`,
      json({ metadata: { name: "new" } }, { accept: table }),
      { code: 201, json: { kind: "Table" } },
    ],
    [
      "of a deleted object: still a Status",
      "DELETE",
      `${one}?dryRun=All`,
      accept(table),
      { code: 200, json: { kind: "Status", status: "Success" } },
    ],
    [
      "of anything: JSON",
      "GET",
      one,
      accept("text/html, */*;q=0.1"),
      { code: 200, json: { kind: "ConfigMap" } },
    ],
    [
      "CBOR with JSON after it: JSON",
      "GET",
      one,
      accept("application/cbor, application/json"),
      { code: 200, json: { kind: "ConfigMap" } },
    ],
    [
      "an error under a Table: a Status",
      "GET",
      `${configMaps}/none`,
      accept(table),
      { code: 404, json: { kind: "Status", reason: "NotFound" } },
    ],
  ];
  testExchanges(server, listed);
});

describe("the older version of Tables and metadata", () => {
  const older = (form: string) => accept(form.replace("v=v1;", "v=v1beta1;"));
  const apiVersion = "meta.k8s.io/v1beta1";
  testExchanges(server, [
    [
      "is returned for a list",
      "GET",
      configMaps,
      older(table),
      { code: 200, json: { kind: "Table", apiVersion, rows: [{ object: { apiVersion } }] } },
    ],
    [
      "is returned for metadata",
      "GET",
      one,
      older(metadata),
      { code: 200, json: { kind: "PartialObjectMetadata", apiVersion } },
    ],
    [
      "is returned for the metadata of a list",
      "GET",
      configMaps,
      older(metadataList),
      { code: 200, json: { kind: "PartialObjectMetadataList", apiVersion, items: [{ apiVersion }] } },
    ],
  ]);
});

describe("a Table's rows", () => {
  test.each([
    ["None", undefined],
    ["Metadata", "PartialObjectMetadata"],
    ["", "PartialObjectMetadata"],
    ["Object", "ConfigMap"],
  ])("with includeObject=%s hold %s", async (include, kind) => {
    const { json } = await server().send("GET", `${one}?includeObject=${include}`, accept(table));
    expect(json.rows[0].object?.kind).toBe(kind);
  });

  testExchanges(server, [
    [
      "hold no other form: 400",
      "GET",
      `${one}?includeObject=Some`,
      accept(table),
      {
        code: 400,
        message:
          "Unable to convert to Table as requested: includeObject: Invalid value: \"Some\": must be 'Metadata', 'Object', 'None', or empty",
      },
    ],
  ]);
});

describe("406", () => {
  const message =
    "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf";
  testExchanges(
    server,
    [
      [configMaps, "text/html"],
      [configMaps, "application/cbor"],
      [configMaps, metadata],
      [one, metadataList],
      [one, table.replace("g=meta.k8s.io", "g=example.com")],
      [one, `${protobuf};as=Table;v=v1;g=meta.k8s.io`],
    ].map(([path = "", type = ""]): Exchange => [
      `${path} in ${type}`,
      "GET",
      path,
      accept(type),
      { code: 406, message, json: { kind: "Status", reason: "NotAcceptable", code: 406 } },
    ]),
  );
});

describe("415", () => {
  const message = "the body of the request was in an unknown format - accepted media types include: ";
  const bodies = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
  const patches = `application/json-patch+json, ${mergePatch}, application/strategic-merge-patch+json, ${applyPatch}`;
  testExchanges(
    server,
    [
      ["POST", configMaps, "text/plain", bodies],
      ["PUT", one, "application/cbor", bodies],
      ["DELETE", one, "text/plain", bodies],
      ["PATCH", one, "application/json", patches],
      ["PATCH", one, "application/apply-patch+cbor", patches],
    ].map(([method = "", path = "", type = "", accepted]): Exchange => [
      `${method} of ${type}`,
      method,
      path,
      as(type, "{}"),
      {
        code: 415,
        message: `${message}${accepted}`,
        json: { kind: "Status", reason: "UnsupportedMediaType" },
      },
    ]),
  );
});
