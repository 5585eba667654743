import { createServer, connect, type AddressInfo } from "node:net";
import { once } from "node:events";
import { expect, test } from "vitest";
import { systemClock } from "./clock.ts";
import { waitingForTurn, yieldToSockets } from "./yield.ts";

function workFor(ms: number): void {
  const end = systemClock.monotonic() + ms;
  while (systemClock.monotonic() < end);
}

test("callers go on in the order in which they came, and are counted while they wait", async () => {
  const order: number[] = [];
  const callers = Array.from({ length: 50 }, async (_, i) => {
    await yieldToSockets();
    order.push(i);
  });
  expect(waitingForTurn()).toBe(50);
  await Promise.all(callers);
  expect(order).toEqual(Array.from({ length: 50 }, (_, i) => i));
  expect(waitingForTurn()).toBe(0);
});

test("a socket is served between two callers that work long", async () => {
  const log: string[] = [];
  const server = createServer((socket) => socket.on("data", () => log.push("socket"))).listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  await once(client, "connect");
  client.write("x");
  await Promise.all(
    ["a", "b", "c"].map(async (name) => {
      await yieldToSockets();
      log.push(name);
      workFor(50);
    }),
  );
  client.destroy();
  server.close();
  expect(log.indexOf("socket")).toBeGreaterThanOrEqual(0);
  expect(log.at(-1)).not.toBe("socket");
});
