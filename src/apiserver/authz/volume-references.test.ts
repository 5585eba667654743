import { expect, test } from "vitest";
import { type PersistentVolume, persistentVolumes } from "../../api/core/persistent-volume/schema.ts";
import { decode } from "../../meta/decode.ts";
import { volumeSecrets } from "./volume-references.ts";

function secretsOf(source: object, claim: object = { claimRef: { namespace: "claim" } }): readonly string[] {
  const fields = { metadata: { name: "pv" }, spec: { ...claim, ...source } };
  const decoded = decode(persistentVolumes.schema, fields);
  const volume = { apiVersion: "v1", kind: "PersistentVolume", ...decoded } as PersistentVolume;
  return [...volumeSecrets(volume)].map(({ namespace, name }) => `${namespace}/${name}`);
}

const named = { secretRef: { name: "s" } };
const placed = { secretRef: { name: "s", namespace: "own" } };

test.each([
  ["Azure file", { azureFile: { shareName: "x", secretName: "s" } }],
  [
    "Azure file with an empty namespace",
    { azureFile: { shareName: "x", secretName: "s", secretNamespace: "" } },
  ],
  ["CephFS", { cephfs: { monitors: ["m"], ...named } }],
  ["flex volume", { flexVolume: { driver: "d", ...named } }],
  ["iSCSI", { iscsi: { targetPortal: "p", iqn: "q", lun: 0, ...named } }],
  ["RBD", { rbd: { monitors: ["m"], image: "i", ...named } }],
  ["ScaleIO", { scaleIO: { gateway: "g", system: "y", ...named } }],
])("%s: a Secret without a namespace is looked for beside the claim", (_, source) => {
  expect(secretsOf(source)).toEqual(["claim/s"]);
});

test.each([
  ["Azure file", { azureFile: { shareName: "x", secretName: "s", secretNamespace: "own" } }],
  ["CephFS", { cephfs: { monitors: ["m"], ...placed } }],
  ["flex volume", { flexVolume: { driver: "d", ...placed } }],
  ["iSCSI", { iscsi: { targetPortal: "p", iqn: "q", lun: 0, ...placed } }],
  ["RBD", { rbd: { monitors: ["m"], image: "i", ...placed } }],
  ["ScaleIO", { scaleIO: { gateway: "g", system: "y", ...placed } }],
  ["Cinder", { cinder: { volumeID: "x", ...placed } }],
  ["StorageOS", { storageos: { secretRef: { name: "s", namespace: "own" } } }],
  ["CSI, to publish", { csi: { driver: "d", volumeHandle: "h", nodePublishSecretRef: placed.secretRef } }],
  ["CSI, to stage", { csi: { driver: "d", volumeHandle: "h", nodeStageSecretRef: placed.secretRef } }],
  ["CSI, to expand", { csi: { driver: "d", volumeHandle: "h", nodeExpandSecretRef: placed.secretRef } }],
])("%s: a Secret is looked for in the namespace that is given", (_, source) => {
  expect(secretsOf(source)).toEqual(["own/s"]);
});

test.each([
  ["Cinder", { cinder: { volumeID: "x", ...named } }],
  ["CSI", { csi: { driver: "d", volumeHandle: "h", nodePublishSecretRef: { name: "s" } } }],
])("%s: a Secret without a namespace is in none", (_, source) => {
  expect(secretsOf(source)).toEqual(["/s"]);
});

test.each([
  ["of no name", { azureFile: { shareName: "x", secretName: "" }, cinder: { volumeID: "x", secretRef: {} } }],
  [
    "that only controllers need",
    { csi: { driver: "d", volumeHandle: "h", controllerPublishSecretRef: placed.secretRef } },
  ],
  ["of a volume that needs none", { hostPath: { path: "/x" } }],
])("nodes need no Secret %s", (_, source) => {
  expect(secretsOf(source)).toEqual([]);
});

test("a volume without a claim has Secrets in the namespace of the reference", () => {
  expect(secretsOf({ rbd: { monitors: ["m"], image: "i", ...placed } }, {})).toEqual(["own/s"]);
  expect(secretsOf({ rbd: { monitors: ["m"], image: "i", ...named } }, {})).toEqual(["/s"]);
});
