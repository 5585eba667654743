import { expect, test } from "vitest";
import { dependsOnOtherNodes } from "../../api/core/pod/placement.ts";
import { type Pod, pods } from "../../api/core/pod/schema.ts";
import { decode } from "../../meta/decode.ts";
import { Placements } from "./placements.ts";

function aPod(spec: object = {}): Pod {
  const containers = [{ name: "main", image: "web:1" }];
  const { apiVersion, kind, schema } = pods;
  return {
    apiVersion,
    kind,
    ...decode(schema, { metadata: { name: "web" }, spec: { containers, ...spec } }),
  };
}

const term = { topologyKey: "kubernetes.io/hostname", labelSelector: {} };
const required = { requiredDuringSchedulingIgnoredDuringExecution: [term] };
const plain = aPod();
const wide = aPod({ affinity: { podAntiAffinity: required } });

/** Writes bindings one after the other, each `pod manager node seen`, at the revisions 101, 102 and so on. */
function bindAll(...requests: readonly (readonly [Pod, string, string, number?])[]): readonly boolean[] {
  const placements = new Placements(100);
  return requests.map(([pod, manager, node, seen], i) => {
    const placing = placements.begin(manager, seen);
    try {
      placing.claim(pod, node);
      placing.end(101 + i);
      return true;
    } catch {
      placing.end(0);
      return false;
    }
  });
}

test.each<[string, boolean, ...(readonly [Pod, string, string, number?])[]]>([
  ["of another node", true, [plain, "a", "n", 100], [plain, "b", "m", 100]],
  ["of the same node", false, [plain, "a", "n", 100], [plain, "b", "n", 100]],
  ["of the same node that was seen", true, [plain, "a", "n", 100], [plain, "b", "n", 101]],
  ["of the same manager", true, [plain, "a", "n", 100], [plain, "a", "n", 100]],
  ["of a manager that does not take part", false, [plain, "kubectl", "n"], [plain, "b", "n", 100]],
  ["before one that is not checked", true, [plain, "a", "n", 100], [plain, "kubectl", "n"]],
  ["of another node, by a wide Pod", false, [wide, "a", "n", 100], [plain, "b", "m", 100]],
  ["of another node, before a wide Pod", false, [plain, "a", "n", 100], [wide, "b", "m", 100]],
  ["of a wide Pod of the same manager", true, [wide, "a", "n", 100], [wide, "a", "m", 100]],
  ["that an older server may have made", false, [plain, "a", "n", 99]],
])("after a binding %s: %j", (_, isWritten, ...requests) => {
  expect(bindAll(...requests).at(-1)).toBe(isWritten);
});

test("a binding under way is one that nobody has seen, until it fails", () => {
  const placements = new Placements(100);
  const first = placements.begin("a", 100);
  first.claim(plain, "n");
  const second = placements.begin("b", Number.MAX_SAFE_INTEGER);
  expect(() => second.claim(plain, "n")).toThrow(
    'Operation cannot be fulfilled on nodes "n": a Pod was bound after revision 9007199254740991',
  );
  first.end(0);
  second.claim(plain, "n");
  second.end(101);
  expect(() => placements.begin("a", 100).claim(plain, "n")).toThrow("after revision 100");
});

test("a claim that is repeated after a conflict of the Pod counts once", () => {
  const placements = new Placements(100);
  const placing = placements.begin("a", 100);
  placing.claim(plain, "n");
  placing.claim(plain, "n");
  placing.end(101);
  placements.begin("b", 101).claim(plain, "n");
});

test("what is forgotten is a conflict for those that may not have seen it", () => {
  const placements = new Placements(100);
  for (let i = 0; i < 70; i++) {
    const placing = placements.begin(`manager-${i}`, undefined);
    placing.claim(plain, `node-${i}`);
    placing.end(101 + i);
  }
  // Six managers are forgotten: the last of their bindings was at 106.
  expect(() => placements.begin("manager-69", 105).claim(plain, "new")).toThrow("after revision 105");
  placements.begin("manager-69", 106).claim(plain, "new");
  const many = new Placements(100);
  for (let i = 0; i <= 65_536; i++) {
    const placing = many.begin("a", undefined);
    placing.claim(plain, `node-${i}`);
    placing.end(101 + i);
  }
  expect(() => many.begin("b", 65_000).claim(plain, "new")).toThrow("after revision 65000");
  many.begin("b", 65_636).claim(plain, "new");
});

const spread = (whenUnsatisfiable: string) => ({
  topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "zone", whenUnsatisfiable }],
});
test.each<[string, object, boolean]>([
  ["no rule", {}, false],
  ["required affinity", { affinity: { podAffinity: required } }, true],
  ["required anti-affinity", { affinity: { podAntiAffinity: required } }, true],
  [
    "preferred anti-affinity",
    {
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term }],
        },
      },
    },
    false,
  ],
  ["required spread", spread("DoNotSchedule"), true],
  ["preferred spread", spread("ScheduleAnyway"), false],
  ["a claim", { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "c" } }] }, true],
  [
    "a claim of its own",
    { volumes: [{ name: "v", ephemeral: { volumeClaimTemplate: { spec: {} } } }] },
    true,
  ],
  ["an empty volume", { volumes: [{ name: "v", emptyDir: {} }] }, false],
])("a Pod with %s depends on other nodes: %s", (_, spec, depends) => {
  expect(dependsOnOtherNodes(aPod(spec))).toBe(depends);
});
