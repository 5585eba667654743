import { once } from "node:events";
import { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { http } from "../../util/node-http.ts";
import { VirtualClock } from "../../util/virtual-clock.ts";
import { readMessage } from "./read-body.ts";

function setUp() {
  const message = new http.IncomingMessage(new Socket());
  const limits = { bytes: 10, clock: new VirtualClock(), timeoutMs: 20_000, announced: undefined };
  return { message, limits };
}

describe("a request's body", () => {
  it("is empty when it ended before it is read", async () => {
    const { message, limits } = setUp();
    message.complete = true;
    message.push(null);
    await once(message.resume(), "end");
    expect(await readMessage(message, limits)).toHaveLength(0);
  });

  it("ends early when the client disconnected before it is read", async () => {
    const { message, limits } = setUp();
    message.destroy();
    await once(message, "close");
    await expect(readMessage(message, limits)).rejects.toMatchObject({ status: { code: 400 } });
  });

  it("is refused past the limit", async () => {
    const { message, limits } = setUp();
    message.push(Buffer.alloc(11));
    await expect(readMessage(message, limits)).rejects.toMatchObject({ status: { code: 413 } });
  });
});
