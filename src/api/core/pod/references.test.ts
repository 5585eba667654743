import { expect, test } from "vitest";
import { type Pod, pods } from "./schema.ts";
import { decode } from "../../../meta/decode.ts";
import { claimNames } from "./claims.ts";
import { configMapNames, resourceClaimNames, secretNames } from "./references.ts";

function aPod(spec: object, status: object = {}): Pod {
  const fields = { metadata: { name: "web" }, spec: { containers: [], ...spec }, status };
  return { apiVersion: "v1", kind: "Pod", ...decode(pods.schema, fields) };
}

const volume = (source: object) => ({ volumes: [{ name: "v", ...source }] });
const projected = (...sources: readonly object[]) => volume({ projected: { sources } });
const containers = (field: string, container: object) => ({ [field]: [{ name: "c", ...container }] });
const env = (valueFrom: object) => ({
  env: [
    { name: "plain", value: "x" },
    { name: "E", valueFrom },
  ],
});
const ref = { secretRef: { name: "s" } };

test.each<readonly [string, object, readonly string[]]>([
  ["to pull images", { imagePullSecrets: [{ name: "s" }, { name: "t" }] }, ["s", "t"]],
  ["no Secret without a name", { imagePullSecrets: [{ name: "" }, {}] }, []],
  ...["containers", "initContainers", "ephemeralContainers"].flatMap(
    (field): readonly (readonly [string, object, readonly string[]])[] => [
      [
        `for a variable of its ${field}`,
        containers(field, env({ secretKeyRef: { name: "s", key: "k" } })),
        ["s"],
      ],
      [`for all variables of its ${field}`, containers(field, { envFrom: [ref] }), ["s"]],
    ],
  ),
  ["not for variables from elsewhere", containers("containers", env({ fieldRef: { fieldPath: "x" } })), []],
  ["not for ConfigMaps", containers("containers", { envFrom: [{ configMapRef: { name: "c" } }] }), []],
  ["in a volume", volume({ secret: { secretName: "s" } }), ["s"]],
  ["in a projected volume", projected({ configMap: { name: "c" } }, { secret: { name: "s" } }), ["s"]],
  ["for an Azure share", volume({ azureFile: { secretName: "s", shareName: "x" } }), ["s"]],
  ["for a CSI driver", volume({ csi: { driver: "d", nodePublishSecretRef: { name: "s" } } }), ["s"]],
  ["not for a CSI driver without one", volume({ csi: { driver: "d" } }), []],
  ["for CephFS", volume({ cephfs: { monitors: ["m"], ...ref } }), ["s"]],
  ["for Cinder", volume({ cinder: { volumeID: "x", ...ref } }), ["s"]],
  ["for a flex volume", volume({ flexVolume: { driver: "d", ...ref } }), ["s"]],
  ["for iSCSI", volume({ iscsi: { targetPortal: "p", iqn: "q", lun: 0, ...ref } }), ["s"]],
  ["for RBD", volume({ rbd: { monitors: ["m"], image: "i", ...ref } }), ["s"]],
  ["for ScaleIO", volume({ scaleIO: { gateway: "g", system: "s", ...ref } }), ["s"]],
  ["for StorageOS", volume({ storageos: { volumeName: "x", ...ref } }), ["s"]],
  ["not for a volume without one", volume({ rbd: { monitors: ["m"], image: "i" } }), []],
  ["not for a volume of another kind", volume({ emptyDir: {} }), []],
])("a Pod refers to Secrets %s", (_, spec, names) => {
  expect([...secretNames(aPod(spec).spec)]).toEqual(names);
});

test.each<readonly [string, object, readonly string[]]>([
  ["for a variable", containers("containers", env({ configMapKeyRef: { name: "c", key: "k" } })), ["c"]],
  ["for all variables", containers("containers", { envFrom: [{ configMapRef: { name: "c" } }] }), ["c"]],
  [
    "for variables of an init container",
    containers("initContainers", { envFrom: [{ configMapRef: { name: "c" } }] }),
    ["c"],
  ],
  ["not for Secrets", containers("containers", { envFrom: [ref] }), []],
  ["not for variables from elsewhere", containers("containers", env({ fieldRef: { fieldPath: "x" } })), []],
  ["in a volume", volume({ configMap: { name: "c" } }), ["c"]],
  ["in a projected volume", projected({ secret: { name: "s" } }, { configMap: { name: "c" } }), ["c"]],
  ["not without volumes", {}, []],
])("a Pod refers to ConfigMaps %s", (_, spec, names) => {
  expect([...configMapNames(aPod(spec).spec)]).toEqual(names);
});

test.each<readonly [string, object, readonly string[]]>([
  ["by name", volume({ persistentVolumeClaim: { claimName: "c" } }), ["c"]],
  ["made for it, by a name of its own and the volume's", volume({ ephemeral: {} }), ["web-v"]],
  ["not by other volumes", volume({ emptyDir: {} }), []],
  ["not without volumes", {}, []],
])("a Pod refers to PersistentVolumeClaims %s", (_, spec, names) => {
  expect(claimNames(aPod(spec))).toEqual(names);
});

const template = { resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "t" }] };
test.each<readonly [string, object, object, readonly string[]]>([
  ["by name", { resourceClaims: [{ name: "gpu", resourceClaimName: "c" }] }, {}, ["c"]],
  ["not by a template before it is used", template, {}, []],
  [
    "made from a template, as the status notes",
    template,
    { resourceClaimStatuses: [{ name: "gpu", resourceClaimName: "made" }] },
    ["made"],
  ],
  [
    "not by the status alone",
    {},
    { resourceClaimStatuses: [{ name: "gpu", resourceClaimName: "made" }] },
    [],
  ],
  [
    "not by the status of another",
    template,
    { resourceClaimStatuses: [{ name: "nic", resourceClaimName: "made" }] },
    [],
  ],
  [
    "not by a name and a status at once, but by the name",
    { resourceClaims: [{ name: "gpu", resourceClaimName: "c" }] },
    { resourceClaimStatuses: [{ name: "gpu", resourceClaimName: "made" }] },
    ["c"],
  ],
  [
    "not where neither a name nor a template is given",
    { resourceClaims: [{ name: "gpu" }] },
    { resourceClaimStatuses: [{ name: "gpu", resourceClaimName: "made" }] },
    [],
  ],
  [
    "for extended resources, as the status notes",
    {},
    { extendedResourceClaimStatus: { resourceClaimName: "extended", requestMappings: [] } },
    ["extended"],
  ],
])("a Pod refers to ResourceClaims %s", (_, spec, status, names) => {
  expect([...resourceClaimNames(aPod(spec, status))]).toEqual(names);
});
