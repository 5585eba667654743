import { expect, test } from "vitest";
import { startBed } from "../apiserver/server.suite.ts";
import { Client } from "../client/client.ts";
import { InProcessTransport } from "../client/in-process.ts";
import { publishAuthentication } from "./publish-authentication.ts";

const maps = "/api/v1/namespaces/kube-system/configmaps";
const authentication = `${maps}/extension-apiserver-authentication`;
const tracking = `${maps}/kube-apiserver-legacy-service-account-token-tracking`;
const clientCa = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n";
const now = Date.UTC(2026, 0, 1);

async function start() {
  const bed = await startBed();
  await bed.post("/api/v1/namespaces", { metadata: { name: "kube-system" } });
  const user = { name: "admin", groups: ["system:masters"] };
  const client = new Client(new InProcessTransport(bed.server.handle, user));
  return { bed, publish: (at = now) => publishAuthentication(client, { clientCa, now: at }) };
}

test("the authority of clients and the first day of recorded token uses are published once", async () => {
  const { bed, publish } = await start();
  await publish();
  const read = async () => [(await bed.get(authentication)).body, (await bed.get(tracking)).body];
  const first = await read();
  expect(first.map(({ data }) => data)).toEqual([{ "client-ca-file": clientCa }, { since: "2026-01-01" }]);
  await publish(now + 48 * 3_600_000);
  expect(await read()).toEqual(first);
});

test("authorities of other servers stay, and an unreadable day is replaced", async () => {
  const { bed, publish } = await start();
  await bed.make(maps, {
    metadata: { name: "extension-apiserver-authentication" },
    data: { "client-ca-file": "other\n", "requestheader-client-ca-file": "proxy\n" },
  });
  await bed.make(maps, {
    metadata: { name: "kube-apiserver-legacy-service-account-token-tracking" },
    data: { since: "2026-13-01" },
  });
  await publish();
  expect((await bed.get(authentication)).body.data).toEqual({
    "client-ca-file": `other\n${clientCa}`,
    "requestheader-client-ca-file": "proxy\n",
  });
  expect((await bed.get(tracking)).body.data).toEqual({ since: "2026-01-01" });
});
