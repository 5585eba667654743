import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Node } from "../../api/core/node/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { seededRandom } from "../../util/random.ts";
import { reserve, unreserve } from "../binding-cycle.ts";
import { aNode, aPod, handleOf } from "../builders.suite.ts";
import { defaultProfile } from "../plugins.ts";
import { Snapshot } from "../snapshot.ts";
import { type ClaimKind, claimKinds, claimNamed, storageObjects } from "./claims.suite.ts";
import { bestNodes, Decider } from "./decider.ts";

const zone = "topology.kubernetes.io/zone";
const hostname = "kubernetes.io/hostname";

/** Rules about other Pods, each about the Pods with one of a few labels. */
const selector = fc.constantFrom("a", "b").map((app) => ({ labelSelector: { matchLabels: { app } } }));
const topologyKey = fc.constantFrom(zone, hostname, "rack");
const term = fc.tuple(selector, topologyKey).map(([one, key]) => ({ ...one, topologyKey: key }));
const weighted = fc
  .tuple(fc.integer({ min: 1, max: 100 }), term)
  .map(([weight, podAffinityTerm]) => ({ weight, podAffinityTerm }));
const few = <T>(arbitrary: fc.Arbitrary<T>) => fc.array(arbitrary, { maxLength: 2 });
const podRules = fc.record({
  requiredDuringSchedulingIgnoredDuringExecution: few(term),
  preferredDuringSchedulingIgnoredDuringExecution: few(weighted),
});
const spread = fc
  .record({
    maxSkew: fc.integer({ min: 1, max: 3 }),
    key: topologyKey,
    whenUnsatisfiable: fc.constantFrom("DoNotSchedule", "ScheduleAnyway"),
    one: selector,
    nodeTaintsPolicy: fc.constantFrom("Honor", "Ignore"),
  })
  .map(({ key, one, ...rest }) => ({ ...rest, ...one, topologyKey: key }));

const template = fc.record({
  app: fc.constantFrom("a", "b", "c"),
  cpu: fc.constantFrom("0", "100m", "1", "2500m"),
  memory: fc.constantFrom("0", "1Gi"),
  claims: fc.oneof<fc.MaybeWeightedArbitrary<readonly ClaimKind[]>[]>(
    { weight: 2, arbitrary: fc.constant<readonly ClaimKind[]>([]) },
    fc.subarray([...claimKinds], { maxLength: 2 }),
  ),
  spec: fc.record(
    {
      affinity: fc.record({ podAffinity: podRules, podAntiAffinity: podRules }, { requiredKeys: [] }),
      topologySpreadConstraints: few(spread).map((all) => [
        ...new Map(all.map((one) => [`${one.topologyKey}${one.whenUnsatisfiable}`, one])).values(),
      ]),
      nodeSelector: fc.constantFrom({}, { disk: "ssd" }),
      tolerations: fc.constantFrom([], [{ key: "only", operator: "Exists" }]),
      priority: fc.constant(0),
    },
    { requiredKeys: [] },
  ),
});

const node = fc.record({
  zone: fc.constantFrom("x", "y", "z", undefined),
  rack: fc.constantFrom("1", "2", undefined),
  disk: fc.constantFrom("ssd", undefined),
  taint: fc.constantFrom(undefined, "NoSchedule", "PreferNoSchedule"),
  cpu: fc.constantFrom("2", "4"),
});

const event = fc.oneof(
  { weight: 8, arbitrary: fc.nat(2).map((choice) => ({ type: "schedule", choice }) as const) },
  { weight: 2, arbitrary: fc.nat(30).map((which) => ({ type: "remove", which }) as const) },
  fc.tuple(fc.nat(5), node).map(([which, now]) => ({ type: "node", which, now }) as const),
  fc.nat(5).map((which) => ({ type: "removeNode", which }) as const),
);

type ValueOf<A> = A extends fc.Arbitrary<infer T> ? T : never;

function nodeOf(index: number, { zone: inZone, rack, disk, taint, cpu }: ValueOf<typeof node>): Node {
  const labels = new Map([[hostname, `n${index}`]]);
  for (const [key, value] of [
    [zone, inZone],
    ["rack", rack],
    ["disk", disk],
  ] as const) {
    if (value !== undefined) labels.set(key, value);
  }
  return aNode(`n${index}`, taint === undefined ? {} : { taints: [{ key: "only", effect: taint }] }, {
    labels: Object.fromEntries(labels),
    allocatable: { cpu, memory: "8Gi", pods: "6" },
  });
}

describe("the decider", () => {
  test("chooses as if every plugin were asked about every node, whatever has happened", () => {
    fc.assert(
      fc.property(
        fc.array(node, { minLength: 1, maxLength: 6 }),
        fc.array(template, { minLength: 3, maxLength: 3 }),
        fc.array(event, { maxLength: 60 }),
        (nodes, templates, events) => {
          const snapshot = new Snapshot();
          const plugins = defaultProfile(storage);
          const decider = new Decider({ plugins, snapshot, random: seededRandom(1) });
          const all = plugins.map(({ plugin }) => plugin);
          for (const [i, one] of nodes.entries()) snapshot.setNode(nodeOf(i, one));
          const placed: { readonly pod: Pod; readonly node: string }[] = [];
          for (const [i, one] of events.entries()) {
            if (one.type === "node") snapshot.setNode(nodeOf(one.which, one.now));
            else if (one.type === "removeNode") snapshot.removeNode(`n${one.which}`);
            else if (one.type === "remove") {
              const [gone] = placed.splice(one.which, 1);
              if (gone === undefined) continue;
              snapshot.removePod(gone.pod.metadata.uid ?? "");
              unreserve({ ...gone, plugins: all });
            } else {
              const chosen = templates[one.choice];
              if (chosen === undefined) continue;
              const pod = podOf(i, chosen);
              const best = bestNodes(pod, plugins, snapshot).map(({ name }) => name);
              const outcome = decider.decide(pod);
              if (outcome.type === "unschedulable") expect(best).toEqual([]);
              else {
                expect(best).toContain(outcome.node.name);
                const { name } = outcome.node;
                reserve({ pod, node: name, plugins: all });
                snapshot.setPod(pod, name);
                placed.push({ pod, node: name });
              }
            }
          }
        },
      ),
      { numRuns: 5000 },
    );
  });
});

/** The objects behind the claims of all Pods. */
const storage = handleOf(...storageObjects);

function podOf(i: number, { app, cpu, memory, claims, spec }: ValueOf<typeof template>): Pod {
  const volumes = claims.map((kind) => ({
    name: kind,
    persistentVolumeClaim: { claimName: claimNamed(kind, i) },
  }));
  const pod = aPod(`p${i}`, { cpu, memory }, { ...spec, volumes });
  return { ...pod, metadata: { ...pod.metadata, labels: { app } } };
}
