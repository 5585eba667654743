import { expect, test } from "vitest";
import { services } from "../api/core/service/schema.ts";
import { ipAddresses } from "../api/networking/ip-address/schema.ts";
import { startBed } from "../apiserver/server.suite.ts";
import { Client } from "../client/client.ts";
import { InProcessTransport } from "../client/in-process.ts";
import { silentLogger } from "../util/logger.ts";
import { seededRandom } from "../util/random.ts";
import { identities } from "./identities.ts";
import { repairRegularly } from "./service-cidr.ts";

test("an IPAddress that a user deletes comes back while its Service has the address", async () => {
  const bed = await startBed();
  const client = new Client(new InProcessTransport(bed.server.handle, identities.bootstrap));
  const stop = new AbortController();
  const env = { clock: bed.clock, random: seededRandom(1), log: silentLogger };
  const ended = repairRegularly(client, env, stop.signal);
  const made = await client
    .of(services, "default")
    .create({ metadata: { name: "web" }, spec: { ports: [{ port: 80 }] } });
  const { clusterIP = "" } = made.spec;
  const names = async () => (await client.of(ipAddresses).list()).items.map(({ metadata }) => metadata.name);
  await client.of(ipAddresses).delete(clusterIP);
  expect(await names()).toEqual([]);
  await bed.clock.advance(3 * 60_000);
  await bed.clock.settle();
  expect(await names()).toEqual([clusterIP]);
  stop.abort();
  await ended;
});
