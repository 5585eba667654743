import { once } from "node:events";
import { connect } from "node:net";
import { buffer } from "node:stream/consumers";
import { decode, encode, type Packet, streamDecode, streamEncode } from "dns-packet";
import { afterEach, expect, test } from "vitest";
import { FakeApi } from "../../client/fake-api.suite.ts";
import { InProcessTransport } from "../../client/in-process.ts";
import type { KubeObject } from "../../meta/kind.ts";
import { silentLogger } from "../../util/logger.ts";
import { seededRandom } from "../../util/random.ts";
import { VirtualClock } from "../../util/virtual-clock.ts";
import { aService, aSlice, endpoint } from "../builders.suite.ts";
import { freePort, udpSocket } from "../loopback.suite.ts";
import { DnsServer } from "./server.ts";

const address = "127.0.0.1";
const svc = "default.svc.cluster.local";
const many = Array.from({ length: 100 }, (_, i) => endpoint(`10.244.1.${i}`));
const some = Array.from({ length: 20 }, (_, i) => endpoint(`10.244.2.${i}`));
const alias = (name: string, externalName: string) =>
  aService(name, { clusterIP: undefined, type: "ExternalName", externalName });
const objects: readonly [string, KubeObject][] = [
  ["services", aService("web")],
  ["services", aService("many", { clusterIP: "None" })],
  ["services", aService("some", { clusterIP: "None" })],
  ["services", alias("elsewhere", "db.example.com")],
  ["services", alias("nearby", `web.${svc}`)],
  ["services", alias("ring", `ring.${svc}`)],
  ["endpointslices", aSlice("many", many)],
  ["endpointslices", aSlice("some", some)],
];

const running: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of running.splice(0)) await stop();
});

/** A name server outside the cluster that has `db.example.com`, and fails on `broken.example.com`. */
async function outside(query: Buffer): Promise<Buffer | undefined> {
  const { id = 0, questions = [] } = decode(query);
  const name = questions[0]?.name ?? "";
  if (name === "broken.example.com") throw new Error("no route to host");
  if (name !== "db.example.com") return undefined;
  return encode({
    type: "response",
    id,
    questions,
    answers: [{ type: "A", name, ttl: 60, data: "192.0.2.7" }],
  });
}

async function start() {
  const api = new FakeApi("services", "endpointslices");
  for (const [resource, object] of objects) api.put(resource, object);
  const clock = new VirtualClock();
  const env = { clock, random: seededRandom(1), log: silentLogger };
  const transport = new InProcessTransport(api.handle, { name: "dns", groups: [] });
  const port = await freePort();
  const server = new DnsServer({ env, transport, address, port, domain: "cluster.local", forward: outside });
  const stop = new AbortController();
  const run = server.run(stop.signal);
  running.push(async () => {
    stop.abort();
    await run;
  });
  await listening(port);
  return { port };
}

/** Both sockets are opened together: once one accepts connections, the other is open. */
async function listening(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, address);
    const refused = await once(socket, "connect").then(
      () => false,
      () => true,
    );
    socket.destroy();
    if (!refused) return;
  }
}

function query(name: string, type: "A" | "AAAA" | "CNAME" = "A", more: Packet = {}): Buffer {
  return encode({ type: "query", id: 7, flags: 0x0100, questions: [{ type, name }], ...more });
}

async function overUdp(port: number, ...packets: readonly Buffer[]) {
  const client = await udpSocket();
  for (const packet of packets) client.send(packet, port, address);
  const [answer] = (await once(client, "message")) as [Buffer];
  return decode(answer);
}

async function overTcp(port: number, ...names: readonly string[]) {
  const socket = connect(port, address);
  const answers: Packet[] = [];
  const frames = names.map((name) =>
    streamEncode({ type: "query", id: 7, questions: [{ type: "A", name }] }),
  );
  // In pieces, because frames do not match segments.
  const bytes = Buffer.concat(frames);
  socket.write(bytes.subarray(0, 5));
  socket.write(bytes.subarray(5));
  let received = Buffer.alloc(0);
  while (answers.length < names.length) {
    const [chunk] = (await once(socket, "data")) as [Buffer];
    received = Buffer.concat([received, chunk]);
    while (received.length >= 2 && received.length >= received.readUInt16BE(0) + 2) {
      const length = received.readUInt16BE(0) + 2;
      answers.push(streamDecode(received.subarray(0, length)));
      received = received.subarray(length);
    }
  }
  socket.destroy();
  return answers;
}

const data = ({ answers = [] }: Packet) =>
  answers.map((record) => ("data" in record ? record.data : undefined));

test("a Service's name is answered authoritatively, with a TTL of five seconds", async () => {
  const { port } = await start();
  const answer = await overUdp(port, query(`web.${svc}`));
  expect(answer).toMatchObject({ id: 7, rcode: "NOERROR", flag_aa: true, flag_ra: true, flag_rd: true });
  expect(answer.answers).toMatchObject([{ name: `web.${svc}`, type: "A", ttl: 5, data: "10.96.0.10" }]);
});

test("a missing name is NXDOMAIN; a name without such a record has an empty answer", async () => {
  const { port } = await start();
  expect(await overUdp(port, query(`absent.${svc}`))).toMatchObject({ rcode: "NXDOMAIN", answers: [] });
  expect(await overUdp(port, query(`web.${svc}`, "AAAA"))).toMatchObject({ rcode: "NOERROR", answers: [] });
});

test("malformed packets get no answer and do no harm", async () => {
  const { port } = await start();
  const response = encode({ type: "response", id: 9, questions: [{ type: "A", name: `web.${svc}` }] });
  const junk = [Buffer.alloc(0), Buffer.from("x"), Buffer.alloc(12), Buffer.alloc(600, 0xff), response];
  expect((await overUdp(port, ...junk, query(`web.${svc}`))).id).toBe(7);
  const socket = connect(port, address);
  socket.write(Buffer.from([0, 3, 1, 2, 3]));
  expect(await buffer(socket)).toHaveLength(0);
});

test("an answer that is too large for a datagram is truncated, and complete over TCP", async () => {
  const { port } = await start();
  expect(await overUdp(port, query(`many.${svc}`))).toMatchObject({ flag_tc: true, answers: [] });
  const [answer] = await overTcp(port, `many.${svc}`);
  expect(answer?.answers).toHaveLength(100);
});

test("the client states the size of datagrams that it accepts", async () => {
  const { port } = await start();
  const larger = encode({
    type: "query",
    id: 7,
    questions: [{ type: "A", name: `some.${svc}` }],
    additionals: [
      {
        type: "OPT",
        name: ".",
        udpPayloadSize: 4096,
        extendedRcode: 0,
        ednsVersion: 0,
        flags: 0,
        flag_do: false,
        options: [],
      },
    ],
  });
  const plain = await overUdp(port, query(`some.${svc}`));
  const extended = await overUdp(port, larger);
  expect([plain.flag_tc, plain.answers?.length]).toEqual([true, 0]);
  expect([extended.flag_tc, extended.answers?.length]).toEqual([false, 20]);
});

test("concurrent queries over TCP are all answered", async () => {
  const { port } = await start();
  const answers = await overTcp(port, `web.${svc}`, `web.${svc}`, `web.${svc}`);
  expect(answers.map(data)).toEqual([["10.96.0.10"], ["10.96.0.10"], ["10.96.0.10"]]);
});

test("other names are forwarded; without a name server the answer is SERVFAIL", async () => {
  const { port } = await start();
  expect(data(await overUdp(port, query("db.example.com")))).toEqual(["192.0.2.7"]);
  expect(await overUdp(port, query("nobody.example.com"))).toMatchObject({ id: 7, rcode: "SERVFAIL" });
  expect(await overUdp(port, query("broken.example.com"))).toMatchObject({ id: 7, rcode: "SERVFAIL" });
});

test("an alias includes its target's records, inside the cluster and outside", async () => {
  const { port } = await start();
  expect(data(await overUdp(port, query(`elsewhere.${svc}`)))).toEqual(["db.example.com", "192.0.2.7"]);
  expect(data(await overUdp(port, query(`nearby.${svc}`)))).toEqual([`web.${svc}`, "10.96.0.10"]);
  expect(data(await overUdp(port, query(`elsewhere.${svc}`, "CNAME")))).toEqual(["db.example.com"]);
});

test("an alias of itself ends", async () => {
  const { port } = await start();
  const answers = await overTcp(port, `ring.${svc}`);
  expect(new Set(answers.flatMap(data))).toEqual(new Set([`ring.${svc}`]));
});
