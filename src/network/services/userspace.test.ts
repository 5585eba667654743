import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, expect, test } from "vitest";
import { silentLogger } from "../../util/logger.ts";
import { seededRandom } from "../../util/random.ts";
import { VirtualClock } from "../../util/virtual-clock.ts";
import { converse, freePort, tcpServer, udpServer, udpSocket } from "../loopback.suite.ts";
import type { ServicePort } from "./plan.ts";
import { UserspaceBackend } from "./userspace.ts";

const address = "127.0.0.1";
let backend: UserspaceBackend | undefined;
afterEach(() => backend?.close());

function start() {
  const clock = new VirtualClock();
  const held: string[] = [];
  const addresses = {
    add: async (one: string) => void held.push(one),
    remove: async (one: string) => void held.splice(held.indexOf(one), 1),
    holds: (one: string) => held.includes(one),
  };
  const own = [address];
  const nodeAddresses = () => ({ own: [...own], podNetworks: ["10.244.0.0/24"] });
  const env = { clock, random: seededRandom(5), log: silentLogger };
  const started = new UserspaceBackend({ env, addresses, nodeAddresses });
  backend = started;
  return { backend: started, clock, held, own };
}

function service(port: number, protocol: "TCP" | "UDP", ...ports: readonly number[]): ServicePort {
  const endpoints = ports.map((one) => ({ address, port: one }));
  return { name: `default/web:${protocol}`, address, port, protocol, endpoints, affinityMs: 0 };
}

test("an endpoint gets a client's whole request after the client closed its sending side", async () => {
  const { backend } = start();
  const echo = await tcpServer(async (socket) => socket.end(`heard ${await text(socket)}`));
  const port = await freePort();
  await backend.sync([service(port, "TCP", echo)]);
  const long = "x".repeat(300_000);
  expect(await converse(port, long)).toBe(`heard ${long}`);
});

test("a client gets a reset when an endpoint refuses", async () => {
  const { backend } = start();
  const port = await freePort();
  await backend.sync([service(port, "TCP", await freePort())]);
  await expect(converse(port, "hello")).rejects.toMatchObject({ code: "ECONNRESET" });
});

test("connections are sent to the endpoints of the newest plan, and refused without any", async () => {
  const { backend } = start();
  const [blue, green] = [
    await tcpServer((socket) => socket.end("blue")),
    await tcpServer((socket) => socket.end("green")),
  ];
  const port = await freePort();
  await backend.sync([service(port, "TCP", blue)]);
  expect(await converse(port, "")).toBe("blue");
  await backend.sync([service(port, "TCP", green)]);
  expect(await converse(port, "")).toBe("green");
  await backend.sync([service(port, "TCP")]);
  await expect(converse(port, "")).rejects.toMatchObject({ code: "ECONNRESET" });
});

test("a removed Service loses its address and its connections", async () => {
  const { backend, held } = start();
  const silent = await tcpServer((socket) => socket.write("hello"));
  const port = await freePort();
  const plan = service(port, "TCP", silent);
  await backend.sync([plan, service(port, "UDP", silent)]);
  expect(held).toEqual([address, address]);
  const client = connect({ port, host: address });
  await once(client, "data");
  await backend.sync([]);
  await once(client, "close");
  expect(held).toEqual([]);
  await expect(converse(port, "")).rejects.toMatchObject({ code: "ECONNREFUSED" });
});

test("the backend is not intact once the machine has other addresses", async () => {
  const { backend, own } = start();
  expect(await backend.isIntact()).toBe(false);
  await backend.sync([]);
  expect(await backend.isIntact()).toBe(true);
  own.push("127.0.0.2");
  expect(await backend.isIntact()).toBe(false);
});

test("a Service whose port is in use is skipped, and the others answer", async () => {
  const { backend, held } = start();
  const taken = await tcpServer((socket) => socket.end("somebody else"));
  const echo = await tcpServer((socket) => socket.end("echo"));
  const port = await freePort();
  const refusals = await backend.sync([service(taken, "TCP", echo), service(port, "TCP", echo)]);
  const where = `${address}:${taken}`;
  expect(refusals).toEqual([
    { service: "default/web:TCP", isHostPort: false, where, problem: expect.stringContaining("EADDRINUSE") },
  ]);
  expect(await converse(port, "")).toBe("echo");
  expect(await converse(taken, "")).toBe("somebody else");
  expect(held).toEqual([address]);
});

test("datagrams reach an endpoint and its answers come back, even many at once", async () => {
  const { backend } = start();
  const port = await freePort();
  await backend.sync([service(port, "UDP", await udpServer((message) => `heard ${message.toString()}`))]);
  const client = await udpSocket();
  const heard: string[] = [];
  const all = new Promise<void>((resolve) => {
    client.on("message", (message) => {
      if (heard.push(message.toString()) === 5) resolve();
    });
  });
  for (const each of "abcde") client.send(each, port, address);
  await all;
  expect(heard.sort()).toEqual(["a", "b", "c", "d", "e"].map((each) => `heard ${each}`));
});

test("a client keeps one endpoint over UDP while either sends and the endpoint exists", async () => {
  const { backend, clock } = start();
  const endpoints = await Promise.all(Array.from({ length: 8 }, (_, i) => udpServer(() => `endpoint ${i}`)));
  const port = await freePort();
  await backend.sync([service(port, "UDP", ...endpoints)]);
  const client = await udpSocket();
  const ask = async () => {
    client.send("?", port, address);
    const [message] = await once(client, "message");
    return String(message);
  };
  const first = await ask();
  for (let i = 0; i < 5; i++) {
    await clock.advance(59_000);
    expect(await ask()).toBe(first);
  }
  const later = new Set<string>();
  for (let i = 0; i < 8; i++) {
    await clock.advance(60_000);
    later.add(await ask());
  }
  expect(later.size).toBeGreaterThan(1);
  const index = Number((await ask()).at(-1));
  await backend.sync([service(port, "UDP", ...endpoints.filter((_, i) => i !== index))]);
  expect(await ask()).not.toBe(`endpoint ${index}`);
});
