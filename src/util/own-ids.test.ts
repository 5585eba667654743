import { expect, test } from "vitest";
import { hasId, lastId, parseIdMap } from "./own-ids.ts";

test.each([
  [
    "the machine's own",
    "         0          0 4294967295\n",
    [0, 1000, 4294967294],
    [4294967295],
    4294967294,
  ],
  ["one user's", "         0       1000          1\n", [0], [1, 1000], 0],
  ["a range", "0 1000 1\n1 100000 65536\n", [0, 1, 1000, 65536], [65537], 65536],
  ["a range with a gap", "0 1000 1\n5 100000 10\n", [0, 5, 14], [1, 4, 15], 0],
  ["none yet", "", [], [0], 0],
])("%s IDs", (_, map, there, missing, last) => {
  const ranges = parseIdMap(map);
  expect(there.filter((id) => !hasId(ranges, id))).toEqual([]);
  expect(missing.filter((id) => hasId(ranges, id))).toEqual([]);
  expect(lastId(ranges)).toBe(last);
});
