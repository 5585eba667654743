import { expect, test } from "vitest";
import { dropsForwarded, nftablesObstacle } from "./obstacle.ts";

/** A listing in nft's own layout. */
const listing = (table: string, chain: string, rest: string) =>
  `table ip first {\n\tchain postrouting {\n\t\ttype nat hook postrouting priority srcnat; policy accept;\n\t}\n}\n` +
  `table ${table} {\n\tchain other {\n\t}\n\tchain ${chain} {\n\t\ttype filter hook ${rest};\n\t}\n}\n`;

test.each([
  ["ip filter", "FORWARD", "forward priority filter; policy drop", "ip filter FORWARD"],
  ["inet firewall", "forward", "forward priority filter - 10; policy drop", "inet firewall forward"],
  ["ip filter", "FORWARD", "forward priority filter; policy accept", undefined],
  ["ip filter", "INPUT", "input priority filter; policy drop", undefined],
  ["ip6 filter", "FORWARD", "forward priority filter; policy drop", undefined],
])(
  "in table %s, chain %s, with %s: the chain that drops forwarded packets is %s",
  (table, chain, rest, expected) => {
    expect(dropsForwarded(listing(table, chain, rest))).toBe(expected);
  },
);

test("nftables is tried without changing anything, and its error is reported in one line", async () => {
  const calls: string[] = [];
  const answer = async (_: string, args: readonly string[]) => {
    calls.push(args.join(" "));
    return "";
  };
  expect(await nftablesObstacle({ run: answer })).toBeUndefined();
  expect(calls).toEqual(["--check -f -", "list chains"]);
  const refuse = () =>
    Promise.reject(new Error("Cannot run nft: Operation not permitted\nflush table\n^^^^^"));
  expect(await nftablesObstacle({ run: refuse })).toBe("Cannot run nft: Operation not permitted");
  const dropping = async () => listing("ip filter", "FORWARD", "forward priority filter; policy drop");
  expect(await nftablesObstacle({ run: dropping })).toBe(
    "the chain ip filter FORWARD drops forwarded packets, including those from Pods to Services",
  );
});
