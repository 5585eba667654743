import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { chooseRanges, localAddresses } from "./ranges.ts";

describe("a cluster's address ranges", () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "knarr-ranges-"));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it("are upstream's, unless the machine has an address in them", () => {
    expect(chooseRanges(directory, () => ["192.0.2.1"]).podCIDR).toBe("10.244.0.0/24");
  });

  it("skip those of another cluster, whose bridge may have no carrier", () => {
    const table = `Local:
  +-- 0.0.0.0/0 3 0 4
     |-- 10.244.0.0
        /24 link UNICAST
     |-- 10.244.0.1
        /32 host LOCAL
     |-- 10.244.0.255
        /32 link BROADCAST
     |-- 127.0.0.1
        /32 host LOCAL
`;
    expect(localAddresses(table)).toEqual(["10.244.0.1", "127.0.0.1"]);
    expect(chooseRanges(directory, () => localAddresses(table)).podCIDR).toBe("10.245.0.0/24");
  });

  it("stay the same when the cluster starts again", () => {
    const first = chooseRanges(directory, () => []);
    expect(chooseRanges(directory, () => ["10.244.0.1"])).toEqual(first);
  });
});
