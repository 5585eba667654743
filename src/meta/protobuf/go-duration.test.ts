import { expect, test } from "vitest";
import { formatGoDuration, parseGoDuration } from "./go-duration.ts";

/** The results of Go's `time.ParseDuration`. */
test.each<[text: string, nanoseconds: bigint | undefined]>([
  ["1µs", 1000n],
  ["1\u03bcs", 1000n],
  ["1us2ns3ms", 3_001_002n],
  ["1h1h", 7_200_000_000_000n],
  ["1.s", 1_000_000_000n],
  ["+.5s", 500_000_000n],
  ["+5s", 5_000_000_000n],
  ["-1m30s", -90_000_000_000n],
  ["0", 0n],
  ["-0", 0n],
  ["+0", 0n],
  ["0.1ns", 0n],
  ["1.9ns", 1n],
  ["0.0000000001s", 0n],
  [`0.${"0".repeat(1000)}1h`, 0n],
  ["0.3333333333333333333h", 1_200_000_000_000n],
  ["0.100000000000000000000h", 360_000_000_000n],
  ["0.9223372036854775807h", 3_320_413_933_267n],
  ["9007199254.740993ms", 9_007_199_254_740_993n],
  ["4294967296s0.1ns", 4_294_967_296_000_000_000n],
  [`${"0".repeat(1000)}1s`, 1_000_000_000n],
  ["9223372036854775807ns", 9_223_372_036_854_775_807n],
  ["-9223372036854775808ns", -9_223_372_036_854_775_808n],
  ["9223372036s854ms775us807ns", 9_223_372_036_854_775_807n],
  ["9223372036854775808ns", undefined],
  ["-9223372036854775809ns", undefined],
  ["9223372036s854ms775us808ns", undefined],
  ["2562048h", undefined],
  ["10000000000000000000ns", undefined],
  ["9".repeat(1000) + "s", undefined],
  ...["", "3", "-", "s", ".", "-.", ".s", "1h-2m", "1e3s", "1h ", " 1h", "00"].map(
    (text): [string, undefined] => [text, undefined],
  ),
])("the duration %s has %s nanoseconds", (text, nanoseconds) => {
  expect(parseGoDuration(text)).toBe(nanoseconds);
});

/** The results of Go's `Duration.String`. */
test.each<[nanoseconds: bigint, text: string]>([
  [0n, "0s"],
  [1n, "1ns"],
  [-1n, "-1ns"],
  [999n, "999ns"],
  [1000n, "1µs"],
  [1100n, "1.1µs"],
  [999_999n, "999.999µs"],
  [1_000_000n, "1ms"],
  [2_200_000n, "2.2ms"],
  [999_999_999n, "999.999999ms"],
  [1_000_000_000n, "1s"],
  [3_300_000_000n, "3.3s"],
  [59_999_999_999n, "59.999999999s"],
  [60_000_000_000n, "1m0s"],
  [90_000_000_000n, "1m30s"],
  [3_600_000_000_005n, "1h0m0.000000005s"],
  [3_661_001_000_000n, "1h1m1.001s"],
  [9_223_372_036_854_775_807n, "2562047h47m16.854775807s"],
  [-9_223_372_036_854_775_808n, "-2562047h47m16.854775808s"],
])("%s nanoseconds are written as %s", (nanoseconds, text) => {
  expect(formatGoDuration(nanoseconds)).toBe(text);
});
