import { expect, test } from "vitest";
import { defaultInterface, parseInterfaces, parseMemory } from "./machine-readings.ts";

const dev = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 100 1 0 0 0 0 0 0 100 1 0 0 0 0 0 0
  eth0:6812168557 10 2 0 0 0 0 0 23025375 12 3 0 0 0 0 0
`;

test("interfaces have their counters, without loopback", () => {
  expect(parseInterfaces(dev)).toEqual([
    { name: "eth0", rxBytes: 6812168557, rxErrors: 2, txBytes: 23025375, txErrors: 3 },
  ]);
});

test("the default interface is that of the route without destination and mask", () => {
  const routes = [
    "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT",
    "knarr0\t0000000A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0",
    "eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0",
  ];
  expect(defaultInterface(routes.join("\n"))).toBe("eth0");
  expect(defaultInterface(routes.slice(0, 2).join("\n"))).toBeUndefined();
});

test("a machine without swap reports none", () => {
  const memory = "MemTotal:       1000 kB\nMemAvailable:    400 kB\n";
  expect(parseMemory(`${memory}SwapTotal:             0 kB\nSwapFree:              0 kB\n`)).toEqual({
    memoryBytes: 1_024_000,
    availableBytes: 409_600,
    swap: undefined,
  });
  expect(parseMemory(`${memory}SwapTotal:            10 kB\nSwapFree:              4 kB\n`).swap).toEqual({
    availableBytes: 4096,
    usageBytes: 6144,
  });
});
