import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { AddressPool } from "./address-pool.ts";
import { parsePodNetwork } from "../../../util/ipv4.ts";

let directory: string;
beforeEach(async () => (directory = await mkdtemp(join(tmpdir(), "knarr-addresses-"))));
afterEach(() => rm(directory, { recursive: true }));

const open = () => AddressPool.open(directory, parsePodNetwork("10.1.2.8/29"));

test("every address except network, gateway and broadcast is leased once, even after a restart", async () => {
  const pool = await open();
  const [first, second, third] = [await pool.lease("a"), await pool.lease("b"), await pool.lease("c")];
  expect([first, second, third]).toEqual(["10.1.2.10", "10.1.2.11", "10.1.2.12"]);
  const again = await open();
  expect([await again.lease("d"), await again.lease("e")]).toEqual(["10.1.2.13", "10.1.2.14"]);
  await expect(again.lease("f")).rejects.toThrow("no address is free");
});

test("a released address is reused only after all others", async () => {
  const pool = await open();
  await pool.release(await pool.lease("a"));
  expect(await pool.lease("b")).toBe("10.1.2.11");
});

test("leases of holders that no longer exist are released", async () => {
  const pool = await open();
  for (const holder of ["a", "b", "c", "d", "e"]) await pool.lease(holder);
  await pool.releaseOthers(new Set(["a", "b", "d", "e"]));
  expect(await pool.lease("f")).toBe("10.1.2.12");
  await pool.releaseOf("b");
  expect(await pool.lease("g")).toBe("10.1.2.11");
});

test.each(["10.0.0.0", "10.0.0.0/33", "10.0.0.0/30", "::1/64", "10.0.0/24", "010.0.0.0/24"])(
  "%s is refused",
  (cidr) => {
    expect(() => parsePodNetwork(cidr)).toThrow(`${cidr}: not an IPv4 network`);
  },
);
