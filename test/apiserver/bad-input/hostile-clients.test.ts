import { once } from "node:events";
import { type ClientHttp2Session, type ClientHttp2Stream, constants } from "node:http2";
import { beforeAll, describe, expect, test } from "vitest";
import { useHttpsServer } from "../https-server.suite.ts";
import { configMaps, configMap, as, deep } from "./requests.suite.ts";

const server = useHttpsServer();

beforeAll(async () => {
  await server().bed.make(configMaps, { metadata: { name: "old" }, data: { k: "v" } });
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

  test("objects nested up to the limit do not harm the server", async () => {
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

  test("a client that sends less than it announced over HTTP/1.1 stores nothing", async () => {
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
