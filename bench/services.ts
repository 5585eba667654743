/**
 * Measures the service proxy with nftables: the first load of all rules, and the time and CPU from one changed
 * endpoint to the kernel's new rules. Runs in a network namespace of its own; needs root.
 *
 *     npm run bench:services -- --services 1000 --endpoints 10
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { services as serviceKind } from "../src/api/core/service/schema.ts";
import { endpointSlices } from "../src/api/discovery/endpoint-slice/schema.ts";
import { decode } from "../src/meta/decode.ts";
import { thisHost } from "../src/network/host.ts";
import { NftablesBackend } from "../src/network/services/nftables/backend.ts";
import { ServicePlanner } from "../src/network/services/plan.ts";
import { nthAddress, parseNetwork } from "../src/util/ipv4.ts";

const { values } = parseArgs({
  options: {
    services: { type: "string", default: "1000" },
    endpoints: { type: "string", default: "10" },
    changes: { type: "string", default: "20" },
    inside: { type: "boolean", default: false },
  },
});
const count = { services: Number(values.services), endpoints: Number(values.endpoints) };
const bridge = "knarr-bench";
const ticksMs = 10; // A clock tick of /proc is 1/100 s on Linux.

if (values.inside) await measure();
else {
  const line = [process.execPath, ...process.argv.slice(1), "--inside"];
  process.exitCode = spawnSync("unshare", ["--net", ...line], { stdio: "inherit" }).status ?? 1;
}

function aService(index: number) {
  const { apiVersion, kind, schema } = serviceKind;
  const input = {
    metadata: { name: `service-${index}`, namespace: "default" },
    spec: {
      type: "NodePort",
      clusterIP: nthAddress(parseNetwork("10.96.0.0/12"), index + 1),
      ports: [{ name: "http", port: 80, nodePort: 30_000 + index }],
    },
  };
  return { apiVersion, kind, ...decode(schema, input) };
}

/** The endpoints of a Service; the last one has another address for each version. */
function aSlice(index: number, version: number) {
  const { apiVersion, kind, schema } = endpointSlices;
  const network = parseNetwork("10.128.0.0/9");
  const input = {
    metadata: {
      name: `service-${index}-x`,
      namespace: "default",
      labels: { "kubernetes.io/service-name": `service-${index}` },
    },
    addressType: "IPv4",
    ports: [{ name: "http", port: 8080 }],
    endpoints: Array.from({ length: count.endpoints }, (_, i) => ({
      addresses: [
        nthAddress(network, index * count.endpoints + i + (i === 0 ? 1_000_000 * (version % 2) : 0) + 1),
      ],
      conditions: { ready: true },
      nodeName: "node-1",
    })),
  };
  return { apiVersion, kind, ...decode(schema, input) };
}

async function measure(): Promise<void> {
  await thisHost.run("ip", ["link", "set", "lo", "up"]);
  await thisHost.run("ip", ["link", "add", bridge, "type", "bridge"]);
  await thisHost.run("ip", ["link", "set", bridge, "up"]);
  const options = { host: thisHost, bridge, gateway: "10.244.0.1", serviceCIDR: "10.96.0.0/12" };
  await thisHost.run("ip", ["address", "add", "10.244.0.1/24", "dev", bridge]);
  const backend = new NftablesBackend(options);
  const all = Array.from({ length: count.services }, (_, index) => aService(index));
  const slices = all.map((_, index) => aSlice(index, 0));
  const planner = new ServicePlanner();
  const sync = async () => {
    const planned = process.hrtime.bigint();
    const plan = planner.plan(all, slices, { name: "node-1" });
    const between = process.hrtime.bigint();
    await backend.sync(plan);
    return { planMs: msSince(planned, between), totalMs: msSince(planned, process.hrtime.bigint()) };
  };
  const first = await sync();
  process.stdout.write(
    `${count.services} Services with ${count.endpoints} endpoints each\nfirst load: ${first.totalMs.toFixed(0)} ms\n`,
  );
  const before = cpuMs();
  const times: { readonly planMs: number; readonly totalMs: number }[] = [];
  for (let change = 1; change <= Number(values.changes); change++) {
    const index = (change * 7) % count.services;
    slices[index] = aSlice(index, change % 2 === 0 ? 0 : 1);
    times.push(await sync());
  }
  const after = cpuMs();
  const sorted = times.map(({ totalMs }) => totalMs).toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const plan = times.reduce((sum, { planMs }) => sum + planMs, 0) / times.length;
  process.stdout.write(
    `one endpoint changes: median ${median.toFixed(1)} ms, of which the plan ${plan.toFixed(1)} ms; ` +
      `slowest ${(sorted.at(-1) ?? 0).toFixed(1)} ms\n` +
      `CPU of a change: ${((after.own - before.own) / times.length).toFixed(1)} ms of this process, ` +
      `${((after.children - before.children) / times.length).toFixed(1)} ms of nft and ip\n`,
  );
  await backend.close();
}

function msSince(start: bigint, end: bigint): number {
  return Number(end - start) / 1e6;
}

/** The CPU time of this process, and of its ended children, to a clock tick. */
function cpuMs(): { readonly own: number; readonly children: number } {
  const { user, system } = process.cpuUsage();
  // The fields after the program's name, which may contain blanks; cutime and cstime are 16 and 17 of all.
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1]?.split(" ") ?? [];
  const ticks = Number(fields[13]) + Number(fields[14]);
  return { own: (user + system) / 1000, children: ticks * ticksMs };
}
