import { parseArgs } from "node:util";
import { printTable } from "../src/cli/output/table.ts";
import { aNode, aPod, handleOf } from "../src/scheduler/builders.suite.ts";
import { Decider } from "../src/scheduler/decide/decider.ts";
import { defaultProfile } from "../src/scheduler/plugins.ts";
import { Snapshot } from "../src/scheduler/snapshot.ts";
import { seededRandom } from "../src/util/random.ts";
import { room, workloads, zone } from "./schedule/workloads.ts";

/** Measures the scheduler's decisions alone, without an API server: Pods of one class, each placed on the chosen node. */
const { values: flags } = parseArgs({
  options: {
    nodes: { type: "string", default: "5000" },
    pods: { type: "string", default: "20000" },
    only: {
      type: "string",
      default: "basic,required-affinity,preferred-anti-affinity,required-spread,preferred-spread",
    },
  },
});
const [nodeCount, podCount] = [Number(flags.nodes), Number(flags.pods)];

function decide(name: string): readonly string[] {
  const measured = workloads[name]?.measured;
  if (measured === undefined)
    throw new Error(`Cannot measure ${name}: there are ${Object.keys(workloads).join(", ")}`);
  const snapshot = new Snapshot();
  for (let i = 0; i < nodeCount; i++) {
    const labels = { "kubernetes.io/hostname": `n${i}`, [zone]: `zone-${i % 3}` };
    snapshot.setNode(aNode(`n${i}`, {}, { labels, allocatable: room }));
  }
  const decider = new Decider({ plugins: defaultProfile(handleOf()), snapshot, random: seededRandom(1) });
  const { requests = { cpu: "100m", memory: "100Mi" }, spec } = measured;
  const pods = Array.from({ length: podCount }, (_, i) => {
    const pod = aPod(`p${i}`, requests, spec?.(name));
    return { ...pod, metadata: { ...pod.metadata, labels: { app: name } } };
  });
  let first = 0;
  const start = performance.now();
  for (const [i, pod] of pods.entries()) {
    const outcome = decider.decide(pod);
    if (outcome.type !== "node") throw new Error(outcome.error.message);
    snapshot.setPod(pod, outcome.node.name);
    if (i === 0) first = performance.now() - start;
  }
  const seconds = (performance.now() - start) / 1000;
  return [name, Math.round(podCount / seconds).toLocaleString("en-US"), first.toFixed(1)];
}

const rows = flags.only.split(",").map(decide);
process.stdout.write(printTable(["WORKLOAD", "DECISIONS/S", "FIRST MS"], rows));
