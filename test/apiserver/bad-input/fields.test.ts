import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { beforeAll, describe, expect, test } from "vitest";
import { useHttpsServer } from "../https-server.suite.ts";
import { configMaps, yaml, merge } from "./requests.suite.ts";

const server = useHttpsServer();

beforeAll(async () => {
  await server().bed.make(configMaps, { metadata: { name: "old" }, data: { k: "v" } });
});

describe("unknown and duplicate fields", () => {
  const body =
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"NAME","extra":1},"data":{"a":"1","a":"2"},"spec":{}}';
  const problems = ['unknown field "metadata.extra"', 'unknown field "spec"', 'duplicate field "data.a"'];

  test.each(["Warn", ""])("are returned as warnings with fieldValidation=%s", async (validation) => {
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

  test("are returned as warnings in any script, one header each, over HTTP/2 and HTTP/1.1", async () => {
    const { port, send, pki } = server();
    const names = ["größe", "日本語", "😀", "__proto__"];
    const given = JSON.stringify({
      metadata: { name: "scripts" },
      ...Object.fromEntries(names.map((name) => [name, 1])),
    });
    const expected = names.map((name) => `299 - "unknown field \\"${name}\\""`);
    const path = `${configMaps}?dryRun=All`;
    const newer = await send("POST", path, { body: given });
    expect(newer.code).toBe(201);
    expect(Buffer.from(newer.headers["warning"] ?? "", "latin1").toString()).toBe(expected.join(", "));

    const { ca, admin } = pki;
    const tls = { ca: ca.certificate, cert: admin.certificate, key: admin.key };
    const asking = request({ host: "127.0.0.1", port, path, method: "POST", ...tls });
    asking.end(given);
    const [older] = (await once(asking, "response")) as [IncomingMessage];
    older.resume();
    const values = older.headersDistinct["warning"] ?? [];
    expect(values.map((value) => Buffer.from(value, "latin1").toString())).toEqual(expected);
  });

  test("are ignored with Ignore", async () => {
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
