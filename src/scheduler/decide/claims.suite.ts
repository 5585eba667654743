import { persistentVolumeClaims } from "../../api/core/persistent-volume-claim/schema.ts";
import { persistentVolumes } from "../../api/core/persistent-volume/schema.ts";
import { csiDrivers } from "../../api/storage/csi-driver/schema.ts";
import { csiNodes } from "../../api/storage/csi-node/schema.ts";
import { csiStorageCapacities } from "../../api/storage/csi-storage-capacity/schema.ts";
import { storageClasses } from "../../api/storage/storage-class/schema.ts";
import type { KubeObject } from "../../meta/kind.ts";
import { build } from "../builders.suite.ts";

/** Claims, each of another kind of volume: every Pod has its own, except of `exclusive`. */
export const claimKinds = ["local", "made", "zonal", "limited", "exclusive"] as const;
export type ClaimKind = (typeof claimKinds)[number];

/** The number of Pods that may have claims. */
const count = 60;
const zones = ["x", "y", "z"];
const wait = { volumeBindingMode: "WaitForFirstConsumer" };

export function claimNamed(kind: ClaimKind, i: number): string {
  return kind === "exclusive" ? "exclusive" : `${kind}-${i}`;
}

function aClaim(name: string, more: object, volumeName?: string): KubeObject {
  const annotations = volumeName === undefined ? {} : { "pv.kubernetes.io/bind-completed": "yes" };
  return build(persistentVolumeClaims, {
    metadata: { name, namespace: "default", uid: name, annotations },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
      volumeName,
      ...more,
    },
  });
}

function aVolume(name: string, more: object, labels: object = {}): KubeObject {
  return build(persistentVolumes, {
    metadata: { name, uid: name, labels },
    spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], ...more },
    status: { phase: "Available" },
  });
}

const onNode = (name: string) => ({
  required: {
    nodeSelectorTerms: [
      { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: [name] }] },
    ],
  },
});

const claimsOfPod = (i: number): readonly KubeObject[] => {
  const zone = zones[i % zones.length] ?? "";
  return [
    aClaim(`local-${i}`, { storageClassName: "local" }),
    aClaim(`made-${i}`, { storageClassName: "made" }),
    aClaim(`zonal-${i}`, {}, `zonal-${i}`),
    aVolume(`zonal-${i}`, {}, { "topology.kubernetes.io/zone": zone }),
    aClaim(`limited-${i}`, {}, `limited-${i}`),
    aVolume(`limited-${i}`, { csi: { driver: "limited.example.com", volumeHandle: `${i}` } }),
  ];
};

/** The storage of a cluster with the nodes n0 to n5. */
export const storageObjects: readonly KubeObject[] = [
  ...Array.from({ length: count }, (_, i) => claimsOfPod(i)).flat(),
  aClaim("exclusive", { accessModes: ["ReadWriteOncePod"] }, "exclusive"),
  aVolume("exclusive", {}),
  build(storageClasses, {
    metadata: { name: "local" },
    provisioner: "kubernetes.io/no-provisioner",
    ...wait,
  }),
  build(storageClasses, { metadata: { name: "made" }, provisioner: "made.example.com", ...wait }),
  ...Array.from({ length: 6 }, (_, i) =>
    aVolume(`local-${i}`, { storageClassName: "local", nodeAffinity: onNode(`n${i % 4}`) }),
  ),
  build(csiDrivers, { metadata: { name: "made.example.com" }, spec: { storageCapacity: true } }),
  build(csiStorageCapacities, {
    metadata: { name: "ssd", namespace: "default" },
    storageClassName: "made",
    nodeTopology: { matchLabels: { disk: "ssd" } },
    capacity: "10Gi",
  }),
  ...Array.from({ length: 6 }, (_, i) =>
    build(csiNodes, {
      metadata: { name: `n${i}` },
      spec: {
        drivers: [
          {
            name: "limited.example.com",
            nodeID: `n${i}`,
            topologyKeys: [],
            allocatable: { count: (i % 3) + 1 },
          },
        ],
      },
    }),
  ),
];
