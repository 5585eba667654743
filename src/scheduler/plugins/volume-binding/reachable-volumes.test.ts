import fc from "fast-check";
import { expect, test } from "vitest";
import { persistentVolumes } from "../../../api/core/persistent-volume/schema.ts";
import { aNode, build } from "../../builders.suite.ts";
import { isReachable, ReachableVolumes } from "./reachable-volumes.ts";

const value = fc.constantFrom("a", "b", "c");
const expression = fc.record({
  key: fc.constantFrom("kubernetes.io/hostname", "zone"),
  operator: fc.constantFrom("In", "In", "NotIn", "Exists"),
  values: fc.array(value, { maxLength: 2 }),
});
const term = fc.array(expression, { maxLength: 2 }).map((matchExpressions) => ({ matchExpressions }));
const affinity = fc.option(fc.array(term, { maxLength: 2 }), { nil: undefined });
const labels = fc.record({ "kubernetes.io/hostname": value, zone: value }, { requiredKeys: [] });

test("the first reachable volume is the one that a search through all volumes finds", () => {
  fc.assert(
    fc.property(fc.array(affinity, { maxLength: 8 }), labels, fc.nat(8), (terms, given, excluded) => {
      const volumes = terms.map((nodeSelectorTerms, i) =>
        build(persistentVolumes, {
          metadata: { name: `v${i}` },
          spec: {
            nodeAffinity: nodeSelectorTerms === undefined ? undefined : { required: { nodeSelectorTerms } },
          },
        }),
      );
      const node = aNode("n", {}, { labels: { ...given } });
      const isExcluded = ({ metadata }: (typeof volumes)[number]) => metadata.name === `v${excluded}`;
      const expected = volumes.find((volume) => !isExcluded(volume) && isReachable(volume, node));
      expect(new ReachableVolumes(volumes).firstOn(node, isExcluded)).toBe(expected);
    }),
    { numRuns: 1000 },
  );
});
