import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { trimNativeHeap } from "./trim-native-heap.ts";

test.runIf(process.platform === "linux")(
  "free pages inside the native heap are returned to the system",
  async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    let buffers: Uint8Array[] = [];
    for (let i = 0; i < 20_000; i++) buffers.push(Buffer.allocUnsafeSlow(8192).fill(1));
    // The buffers that stay keep the heap's end in place.
    buffers = buffers.filter((_, index) => index % 100 === 0);
    collect();
    const before = process.memoryUsage().rss;
    await trimNativeHeap();
    const given = before - process.memoryUsage().rss;
    expect(given).toBeGreaterThan(64 * 2 ** 20);
    expect(buffers).toHaveLength(200);
  },
);
