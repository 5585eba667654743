import { once } from "node:events";
import { constants } from "node:http2";
import { request } from "node:https";
import { expect, test } from "vitest";
import { addNamespace } from "../../src/apiserver/server.suite.ts";
import { send } from "../http-call.ts";
import { useHttpsServer } from "./https-server.suite.ts";

const server = useHttpsServer();
const path = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`;

/** Lists are sent from reused buffers: none may be overwritten while it is being sent. */
test("each of many large lists arrives complete, while others are cut off", async () => {
  const { bed, open, pki, port } = server();
  const namespaces = ["a", "b", "c"];
  for (const namespace of namespaces) {
    await addNamespace(bed, namespace);
    const data = { payload: namespace.repeat(4000) };
    for (let i = 0; i < 400; i++)
      await bed.make(path(namespace), { metadata: { name: `${namespace}-${i}` }, data });
  }
  const sessions = [open(pki.admin), open(pki.admin), open(pki.admin)] as const;
  const expected = new Map<string, string>();
  for (const one of namespaces) expected.set(one, (await send(sessions[0], "GET", path(one))).text);

  const overHttp1 = async (namespace: string) => {
    const tls = { ca: pki.ca.certificate, cert: pki.admin.certificate, key: pki.admin.key };
    const asked = request({ host: "127.0.0.1", port, path: path(namespace), ...tls }).end();
    const [answer] = (await once(asked, "response")) as [AsyncIterable<Buffer>];
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };
  const cutOff = async (namespace: string, i: number) => {
    const stream = sessions[i % 3]?.request({ ":path": path(namespace) });
    if (stream === undefined) return;
    stream.on("error", () => {});
    await once(stream, "data");
    stream.close(constants.NGHTTP2_CANCEL);
  };
  const wrong: string[] = [];
  await Promise.all(
    Array.from({ length: 36 }, async (_, i) => {
      const namespace = namespaces[i % namespaces.length] ?? "";
      const session = sessions[i % sessions.length];
      if (session === undefined) return;
      if (i % 4 === 0) return cutOff(namespace, i);
      const text =
        i % 4 === 1 ? await overHttp1(namespace) : (await send(session, "GET", path(namespace))).text;
      if (text !== expected.get(namespace)) wrong.push(`${i}: ${namespace}`);
    }),
  );
  expect(expected.get("a")?.length).toBeGreaterThan(1_600_000);
  expect(wrong).toEqual([]);
});
