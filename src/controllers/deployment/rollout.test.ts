import fc from "fast-check";
import { expect, test } from "vitest";
import { image, RolloutSimulation } from "./rollout-simulation.suite.ts";

type Step = ["reconcile"] | ["sync" | "start", number] | ["template", number] | ["scale", number];

const index = fc.nat({ max: 5 });
const moves: readonly fc.Arbitrary<Step>[] = [
  fc.constant<Step>(["reconcile"]),
  fc.tuple(fc.constant("sync" as const), index),
  fc.tuple(fc.constant("start" as const), index),
];
const templates = fc.tuple(fc.constant("template" as const), fc.nat({ max: 3 }));
/** Rare enough for rollouts to make progress between template changes. */
const often = fc.oneof({ arbitrary: fc.oneof(...moves), weight: 20 }, { arbitrary: templates, weight: 1 });
const scales = fc.tuple(fc.constant("scale" as const), fc.nat({ max: 12 }));
const limit = fc.oneof(
  fc.nat({ max: 5 }),
  fc.nat({ max: 100 }).map((value) => `${value}%`),
);
const rollingSpec = fc
  .record({ replicas: fc.integer({ min: 1, max: 12 }), maxSurge: limit, maxUnavailable: limit })
  .map(({ replicas, ...rollingUpdate }) => ({
    replicas,
    strategy: { type: "RollingUpdate", rollingUpdate },
  }));

function take(simulation: RolloutSimulation, [type, value]: Step): void {
  if (type === "reconcile") simulation.reconcile();
  else if (type === "sync") simulation.syncSet(value ?? 0);
  else if (type === "start") simulation.podStarts(value ?? 0);
  else if (type === "template")
    simulation.change({
      template: { ...simulation.deployment.spec.template, ...image(value ?? 0) },
    } as never);
  else simulation.change({ replicas: value ?? 0 });
}

test("a rolling update never leaves its bounds, whatever the order and delay of events", () => {
  const steps = fc.array(often, { maxLength: 120, size: "max" });
  fc.assert(
    fc.property(rollingSpec, steps, (spec, all) => {
      const simulation = new RolloutSimulation(spec);
      simulation.settle();
      for (const step of all) {
        take(simulation, step);
        const { most, least } = simulation.bounds;
        expect(simulation.total).toBeLessThanOrEqual(most);
        expect(simulation.available).toBeGreaterThanOrEqual(least);
      }
    }),
    { numRuns: 500 },
  );
});

test("a Deployment always ends with all Pods of the current template, whatever changed on the way", () => {
  const steps = fc.array(fc.oneof(...moves, templates, scales), { maxLength: 60, size: "max" });
  fc.assert(
    fc.property(rollingSpec, fc.boolean(), steps, (spec, recreates, all) => {
      const simulation = new RolloutSimulation(
        recreates ? { ...spec, strategy: { type: "Recreate" } } : spec,
      );
      for (const step of all) take(simulation, step);
      simulation.settle();
      const { replicas } = simulation.deployment.spec;
      const sizes = [...simulation.sets.values()]
        .map((one) => one.spec.replicas)
        .filter((size) => size !== 0);
      expect(sizes).toEqual(replicas === 0 ? [] : [replicas]);
      expect(simulation.deployment.status.updatedReplicas ?? 0).toBe(replicas);
      expect(simulation.deployment.status.conditions).toContainEqual(
        expect.objectContaining({ type: "Progressing", status: "True", reason: "NewReplicaSetAvailable" }),
      );
      expect(simulation.reconcile()).toBe(0);
    }),
    { numRuns: 200 },
  );
});

test("Recreate never has Pods of two templates", () => {
  const steps = fc.array(often, { maxLength: 80, size: "max" });
  fc.assert(
    fc.property(steps, (all) => {
      const simulation = new RolloutSimulation({ replicas: 3, strategy: { type: "Recreate" } });
      for (const step of all) {
        take(simulation, step);
        expect([...simulation.running.values()].filter(({ pods }) => pods > 0).length).toBeLessThanOrEqual(1);
      }
    }),
    { numRuns: 200 },
  );
});
