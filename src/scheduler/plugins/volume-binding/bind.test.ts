import { expect, test } from "vitest";
import { persistentVolumeClaims } from "../../../api/core/persistent-volume-claim/schema.ts";
import { persistentVolumes } from "../../../api/core/persistent-volume/schema.ts";
import type { KubeObject } from "../../../meta/kind.ts";
import { aNode, build, handleOf } from "../../builders.suite.ts";
import { VolumeChanges } from "./bind.ts";
import { Storage } from "./storage.ts";

const node = aNode("n", {}, { labels: { host: "n" } });
const claimRef = { namespace: "default", name: "c", uid: "uid-c" };
const completed = { "pv.kubernetes.io/bind-completed": "yes" };
const selected = (name: string) => ({ "volume.kubernetes.io/selected-node": name });
const elsewhere = {
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "host", operator: "In", values: ["m"] }] }] },
};

const aClaim = (annotations: object | undefined, volumeName?: string, resourceVersion = "5") =>
  build(persistentVolumeClaims, {
    metadata: { name: "c", namespace: "default", uid: "uid-c", resourceVersion, annotations },
    spec: { volumeName },
  });
const aVolume = (spec: object = { claimRef }, resourceVersion = "5") =>
  build(persistentVolumes, { metadata: { name: "v", uid: "uid-v", resourceVersion }, spec });

/** The state of a binding of one kind, where these objects are observed. */
function areBound(kind: "binding" | "provision", ...observed: readonly KubeObject[]): boolean | string {
  const storage = new Storage(handleOf(...observed).cache);
  const claim = aClaim({});
  const bindings = kind === "binding" ? [{ claim, volume: aVolume({}) }] : [];
  const placement = { bindings, provisions: kind === "provision" ? [claim] : [] };
  const changes = new VolumeChanges(placement, "n", storage);
  try {
    return changes.areBound(node);
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
}

test.each<readonly [what: string, observed: readonly KubeObject[], expected: boolean | string]>([
  ["is bound with its claim", [aVolume(), aClaim(completed, "v")], true],
  ["waits for its claim", [aVolume(), aClaim({})], false],
  ["waits for the cache", [aVolume({}, "4"), aClaim(completed, "v")], false],
  ["is gone", [aClaim({})], 'failed to check binding: persistentvolume "v" not found'],
  ["has lost its claim", [aVolume()], 'failed to check binding: persistentvolumeclaim "c" not found'],
  ["was given back", [aVolume({}, "6"), aClaim({})], 'ClaimRef got reset for pv "v"'],
  [
    "is elsewhere now",
    [aVolume({ claimRef, nodeAffinity: elsewhere }), aClaim({})],
    `pv "v" node affinity doesn't match node "n": no matching NodeSelectorTerms`,
  ],
])("a volume that is to be bound %s", (_, observed, expected) => {
  expect(areBound("binding", ...observed)).toBe(expected);
});

test.each<readonly [what: string, observed: readonly KubeObject[], expected: boolean | string]>([
  ["has its volume", [aVolume(), aClaim({ ...completed, ...selected("n") }, "v")], true],
  ["waits for its provisioner", [aClaim(selected("n"))], false],
  ["waits for the cache to show its volume", [aClaim({ ...completed, ...selected("n") }, "v")], false],
  ["waits for the cache", [aClaim({}, undefined, "4")], false],
  ["is gone", [], 'failed to check provisioning pvc: persistentvolumeclaim "c" not found'],
  ["has lost its annotations", [aClaim(undefined)], 'selectedNode annotation reset for PVC "c"'],
  ["was given back by its provisioner", [aClaim({ other: "x" })], 'provisioning failed for PVC "c"'],
  [
    "got a volume elsewhere",
    [aVolume({ claimRef, nodeAffinity: elsewhere }), aClaim(selected("n"), "v")],
    `pv "v" node affinity doesn't match node "n": no matching NodeSelectorTerms`,
  ],
])("a claim whose volume is to be made %s", (_, observed, expected) => {
  expect(areBound("provision", ...observed)).toBe(expected);
});
