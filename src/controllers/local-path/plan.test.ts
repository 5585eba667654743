import { describe, expect, test } from "vitest";
import { persistentVolumeClaims } from "../../api/core/persistent-volume-claim/schema.ts";
import { persistentVolumes } from "../../api/core/persistent-volume/schema.ts";
import { storageClasses } from "../../api/storage/storage-class/schema.ts";
import { build } from "../builders.suite.ts";
import { planClaim, planVolume } from "./plan.ts";

const provisioner = "knarr.dev/local-path";
const asked = { "volume.kubernetes.io/storage-provisioner": provisioner };
const chosen = { ...asked, "volume.kubernetes.io/selected-node": "n" };
const rootOf = (node: string) => (node === "n" ? "/data" : undefined);
const storageClass = build(storageClasses, { metadata: { name: "c" }, provisioner, reclaimPolicy: "Retain" });

const aClaim = (spec: object = {}, metadata: object = {}) =>
  build(persistentVolumeClaims, {
    metadata: { name: "data", namespace: "ns", uid: "u", annotations: chosen, ...metadata },
    spec: {
      storageClassName: "c",
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
      ...spec,
    },
  });

describe("a claim", () => {
  test("gets a directory of its node", () => {
    const plan = planClaim(aClaim(), storageClass, rootOf);
    expect(plan).toMatchObject({
      type: "provision",
      node: "n",
      volume: {
        metadata: { name: "pvc-u", annotations: { "pv.kubernetes.io/provisioned-by": provisioner } },
        spec: {
          capacity: { storage: "1Gi" },
          accessModes: ["ReadWriteOnce"],
          claimRef: { kind: "PersistentVolumeClaim", namespace: "ns", name: "data", uid: "u" },
          persistentVolumeReclaimPolicy: "Retain",
          storageClassName: "c",
          local: { path: "/data/pvc-u" },
          nodeAffinity: {
            required: {
              nodeSelectorTerms: [
                { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: ["n"] }] },
              ],
            },
          },
        },
      },
    });
  });

  test.each([
    ["of another provisioner", aClaim({}, { annotations: {} })],
    ["with a volume", aClaim({ volumeName: "pv" })],
    ["that is deleted", aClaim({}, { deletionTimestamp: "2026-01-01T00:00:00Z" })],
  ])("%s is left alone", (_, claim) => {
    expect(planClaim(claim, storageClass, rootOf)).toEqual({ type: "none" });
  });

  test("of another class is left alone", () => {
    const other = build(storageClasses, { metadata: { name: "c" }, provisioner: "example.com/disk" });
    expect(planClaim(aClaim(), other, rootOf)).toEqual({ type: "none" });
    expect(planClaim(aClaim(), undefined, rootOf)).toEqual({ type: "none" });
  });

  const otherNode = { annotations: { ...chosen, "volume.kubernetes.io/selected-node": "m" } };
  test.each([
    ["a selector", aClaim({ selector: { matchLabels: { a: "b" } } }), "Selector", false],
    ["a block device", aClaim({ volumeMode: "Block" }), "volumeMode", false],
    ["several writers", aClaim({ accessModes: ["ReadWriteMany"] }), "access modes", false],
    ["a copy", aClaim({ dataSource: { kind: "PersistentVolumeClaim", name: "o" } }), "data source", false],
    ["no node", aClaim({}, { annotations: asked }), "no node was specified", false],
    ["a node elsewhere", aClaim({}, otherNode), "node m has no directories", true],
  ])("for %s is refused", (_, claim, why, isNodes) => {
    const refusal = { type: "refuse", why: expect.stringContaining(why), isNodes };
    expect(planClaim(claim, storageClass, rootOf)).toEqual(refusal);
  });
});

describe("a volume", () => {
  const aVolume = (spec: object = {}, phase = "Released", annotations: object = {}) => {
    const plan = planClaim(aClaim(), storageClass, rootOf);
    if (plan.type !== "provision") throw new Error("no volume");
    const { metadata, spec: made } = plan.volume;
    const marks = { ...metadata?.annotations, ...annotations };
    return build(persistentVolumes, {
      metadata: { ...metadata, annotations: marks },
      spec: { ...made, persistentVolumeReclaimPolicy: "Delete", ...spec },
      status: { phase },
    });
  };

  test("is reclaimed once its claim is gone", () => {
    expect(planVolume(aVolume({}, "Bound"), rootOf)).toEqual({ type: "none" });
    const plan = planVolume(aVolume(), rootOf);
    expect(plan).toMatchObject({ type: "reclaim", node: "n", volume: { metadata: { finalizers: [] } } });
  });

  test("that is retained loses its finalizer, and no more", () => {
    const plan = planVolume(aVolume({ persistentVolumeReclaimPolicy: "Retain" }), rootOf);
    expect(plan).toMatchObject({ type: "keep", volume: { metadata: { finalizers: [] } } });
    if (plan.type === "keep") expect(planVolume(plan.volume, rootOf)).toEqual({ type: "none" });
  });

  test.each([
    ["of another provisioner", aVolume({}, "Released", { "pv.kubernetes.io/provisioned-by": "o" }), "none"],
    ["with a path that was not given to it", aVolume({ local: { path: "/data" } }), "refuse"],
    ["with the path of another one", aVolume({ local: { path: "/data/pvc-v" } }), "refuse"],
    ["without a path", aVolume({ local: undefined, hostPath: { path: "/data/pvc-u" } }), "refuse"],
    ["without a node", aVolume({ nodeAffinity: undefined }), "refuse"],
  ])("%s is not reclaimed", (_, volume, type) => {
    expect(planVolume(volume, rootOf).type).toBe(type);
  });
});
