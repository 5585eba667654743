import type { Host } from "../../host.ts";
import { render } from "./render.ts";
import { replace } from "./replace.ts";

/**
 * Returns the reason why this machine cannot serve Services by nftables; undefined when it can. Changes
 * nothing.
 */
export async function nftablesObstacle(host: Pick<Host, "run">): Promise<string | undefined> {
  try {
    await host.run(
      "nft",
      ["--check", "-f", "-"],
      replace(sample.bridge, undefined, render(samplePlan, sample)).script,
    );
    const dropping = dropsForwarded(await host.run("nft", ["list", "chains"]));
    return dropping === undefined
      ? undefined
      : `the chain ${dropping} drops forwarded packets, including those from Pods to Services`;
  } catch (error) {
    return String(error instanceof Error ? error.message : error).split("\n")[0];
  }
}

/** One of each kind of rule, because kernels and versions of nft support different ones. */
const sample = {
  bridge: "knarr-check",
  serviceCIDR: "10.96.0.0/16",
  seesBridged: true,
  forwards: false,
};
const sampleEndpoints = [{ address: "10.244.0.2", port: 1 }];
const samplePlan = (["TCP", "UDP"] as const).flatMap((protocol) =>
  [0, 1000].map((affinityMs) => ({
    name: "default/check",
    address: "10.96.0.1",
    port: 1 + affinityMs,
    protocol,
    endpoints: sampleEndpoints,
    affinityMs,
    external: {
      nodePort: 1 + affinityMs,
      addresses: [{ address: "192.0.2.1", sources: ["192.0.2.0/24"] }],
      endpoints: sampleEndpoints,
      ...(affinityMs > 0 ? { localEndpoints: sampleEndpoints } : {}),
    },
  })),
);

/**
 * Returns the first chain of a listing that drops forwarded packets by default: a table of our own cannot
 * override it. Firewalls and Docker create such chains.
 */
export function dropsForwarded(listing: string): string | undefined {
  let [table, chain] = ["", ""];
  for (const line of listing.split("\n")) {
    table = /^table (\S+ \S+) \{/.exec(line)?.[1] ?? table;
    chain = /^\s+chain (\S+) \{/.exec(line)?.[1] ?? chain;
    if (/^\s+type filter hook forward .*policy drop;/.test(line) && /^(?:ip|inet) /.test(table))
      return `${table} ${chain}`;
  }
  return undefined;
}
