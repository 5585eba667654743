import fc from "fast-check";
import { expect, test } from "vitest";
import type { Pod } from "../api/core/pod/schema.ts";
import { aNode, aPod, nodeWith } from "./builders.suite.ts";
import { Snapshot } from "./snapshot.ts";

const port = (hostPort: number) => [
  {
    name: "main",
    image: "web:1",
    resources: { requests: { cpu: "1" } },
    ports: [{ containerPort: 80, hostPort }],
  },
];
const names = fc.constantFrom("a", "b", "c");
const uids = fc.constantFrom("p", "q", "r", "s", "t");
const podArbitrary = fc.oneof(
  fc
    .tuple(uids, fc.integer({ min: 0, max: 4000 }))
    .map(([uid, cpu]) => aPod(uid, { cpu: `${cpu}m`, memory: "1Mi" })),
  fc.tuple(uids, fc.constantFrom(80, 81)).map(([uid, number]) => aPod(uid, {}, { containers: port(number) })),
);
const eventArbitrary = fc.oneof(
  names.map((node) => ({ type: "setNode", node }) as const),
  names.map((node) => ({ type: "removeNode", node }) as const),
  fc.tuple(podArbitrary, names).map(([pod, node]) => ({ type: "setPod", pod, node }) as const),
  uids.map((uid) => ({ type: "removePod", uid: `uid-${uid}` }) as const),
);

test("sums updated Pod by Pod equal sums computed anew, after any sequence of events", () => {
  fc.assert(
    fc.property(fc.array(eventArbitrary, { maxLength: 60 }), (events) => {
      const snapshot = new Snapshot();
      const nodes = new Set<string>();
      const pods = new Map<string, { pod: Pod; node: string }>();
      for (const event of events) {
        if (event.type === "setNode") {
          nodes.add(event.node);
          snapshot.setNode(aNode(event.node));
        } else if (event.type === "removeNode") {
          nodes.delete(event.node);
          snapshot.removeNode(event.node);
        } else if (event.type === "setPod") {
          pods.set(event.pod.metadata.uid ?? "", event);
          snapshot.setPod(event.pod, event.node);
        } else {
          pods.delete(event.uid);
          snapshot.removePod(event.uid);
        }
      }
      expect(snapshot.nodes.map(({ name }) => name).sort()).toEqual([...nodes].sort());
      for (const info of snapshot.nodes) {
        const here = [...pods.values()].filter(({ node }) => node === info.name).map(({ pod }) => pod);
        const fresh = nodeWith(aNode(info.name), ...here);
        expect(info.pods).toEqual(fresh.pods);
        expect(info.requested).toEqual(fresh.requested);
        expect(info.nonZero).toEqual(fresh.nonZero);
        expect(info.ports).toEqual(fresh.ports);
      }
    }),
  );
});
