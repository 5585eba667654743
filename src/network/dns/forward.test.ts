import { expect, test } from "vitest";
import { VirtualClock } from "../../util/virtual-clock.ts";
import { forwarder } from "./forward.ts";

test("a name server without a route is passed over", async () => {
  // The kernel refuses to connect to a broadcast address: nothing is sent.
  const forward = forwarder(new VirtualClock(), ["255.255.255.255"]);
  await expect(forward(Buffer.alloc(12))).resolves.toBeUndefined();
});
