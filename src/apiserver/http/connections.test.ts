import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../util/virtual-clock.ts";
import { Connections } from "./connections.ts";

class FakeSocket extends EventEmitter {
  destroyed = false;

  destroy(): this {
    this.destroyed = true;
    this.emit("close");
    return this;
  }
}

function setUp() {
  const clock = new VirtualClock();
  const limits = { requestMs: 20_000, keepAliveMs: 180_000, maxConnections: 10 };
  const connections = new Connections(clock, limits);
  const open = () => {
    const socket = new FakeSocket();
    return { socket, connection: connections.add(socket) };
  };
  return { clock, connections, open };
}

describe("connections", () => {
  it("are closed when no first request comes", async () => {
    const { clock, open } = setUp();
    const { socket } = open();
    await clock.advance(20_000);
    expect(socket.destroyed).toBe(false);
    await clock.advance(5_000);
    expect(socket.destroyed).toBe(true);
  });

  it("last while a request is in progress, and then for the keep-alive time", async () => {
    const { clock, connections, open } = setUp();
    const { socket, connection } = open();
    connections.begin(connection);
    await clock.advance(3_600_000);
    expect(socket.destroyed).toBe(false);
    connections.end(connection);
    await clock.advance(179_000);
    expect(socket.destroyed).toBe(false);
    await clock.advance(6_000);
    expect(socket.destroyed).toBe(true);
  });

  it("are evicted for new ones: the longest without a request first, never one with a request in progress", async () => {
    const { clock, connections, open } = setUp();
    const busy = open();
    connections.begin(busy.connection);
    const served = open();
    connections.begin(served.connection);
    connections.end(served.connection);
    await clock.advance(1_000);
    const [older, younger] = [open(), open()];
    await clock.advance(1_000);
    const order = [older, younger, served];
    for (const [index] of order.entries()) {
      connections.evictWaiting();
      expect(order.map(({ socket }) => socket.destroyed)).toEqual(order.map((_, other) => other <= index));
    }
    connections.evictWaiting();
    expect(busy.socket.destroyed).toBe(false);
  });
});
