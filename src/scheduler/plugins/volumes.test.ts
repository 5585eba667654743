import { describe, expect, test } from "vitest";
import { persistentVolumeClaims } from "../../api/core/persistent-volume-claim/schema.ts";
import { persistentVolumes } from "../../api/core/persistent-volume/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { csiDrivers } from "../../api/storage/csi-driver/schema.ts";
import { csiNodes } from "../../api/storage/csi-node/schema.ts";
import { csiStorageCapacities } from "../../api/storage/csi-storage-capacity/schema.ts";
import { storageClasses } from "../../api/storage/storage-class/schema.ts";
import { volumeAttachments } from "../../api/storage/volume-attachment/schema.ts";
import type { Kind, KubeObject, ObjectOf } from "../../meta/kind.ts";
import { aNode, aPod, build, handleOf } from "../builders.suite.ts";
import type { ClusterEvent } from "../cluster-event.ts";
import type { Handle, Plugin } from "../framework.ts";
import { Snapshot } from "../snapshot.ts";
import { nodeVolumeLimits } from "./node-volume-limits.ts";
import { volumeBinding } from "./volume-binding/plugin.ts";
import { volumeRestrictions } from "./volume-restrictions.ts";
import { volumeZone } from "./volume-zone.ts";

const bound = { "pv.kubernetes.io/bind-completed": "yes" };

interface ClaimParts {
  readonly volume?: string;
  readonly storageClass?: string;
  readonly size?: string;
  readonly modes?: readonly string[];
  readonly metadata?: object;
  readonly phase?: string;
}

const aClaim = (
  name: string,
  { volume, storageClass, size = "1Gi", modes = ["ReadWriteOnce"], metadata, phase }: ClaimParts = {},
) =>
  build(persistentVolumeClaims, {
    metadata: {
      name,
      namespace: "default",
      uid: `uid-${name}`,
      annotations: volume === undefined ? {} : bound,
      ...metadata,
    },
    spec: {
      volumeName: volume,
      storageClassName: storageClass,
      accessModes: modes,
      resources: { requests: { storage: size } },
    },
    status: { phase },
  });

const onNodes = (...values: readonly string[]) => ({
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "host", operator: "In", values }] }] },
});

const aVolume = (name: string, spec: object = {}, labels: object = {}) =>
  build(persistentVolumes, {
    metadata: { name, uid: `uid-${name}`, labels },
    spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], ...spec },
    status: { phase: "Available" },
  });

const aClass = (
  name: string,
  provisioner: string,
  more: object = { volumeBindingMode: "WaitForFirstConsumer" },
) => build(storageClasses, { metadata: { name }, provisioner, ...more });

const using = (name: string, ...claims: readonly string[]): Pod =>
  aPod(
    name,
    {},
    { volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })) },
  );

const node = (name: string, labels: Readonly<Record<string, string>> = {}) =>
  aNode(name, {}, { labels: { host: name, ...labels } });

interface Place {
  readonly labels?: Readonly<Record<string, string>>;
  readonly present?: readonly Pod[];
}

/** The reasons for which a plugin rejects the Pod on the node `n`: as text when it is PreFilter that does. */
function answer(
  make: (handle: Handle) => Plugin,
  pod: Pod,
  objects: readonly KubeObject[],
  { labels, present = [] }: Place = {},
) {
  const snapshot = new Snapshot();
  snapshot.setNode(node("n", labels));
  for (const one of present) snapshot.setPod(one, "n");
  const state = make(handleOf(...objects)).preFilter?.(pod, snapshot);
  if (state?.type === "rejection") return state.reason;
  const [info] = snapshot.nodes;
  return info === undefined ? undefined : state?.filter(info)?.reasons;
}

describe("VolumeZone", () => {
  const beta = "failure-domain.beta.kubernetes.io";
  const stable = "topology.kubernetes.io";
  const conflict = ["node(s) had no available volume zone"];

  test.each<
    readonly [what: string, volume: object, labels: Readonly<Record<string, string>>, rejected: boolean]
  >([
    ["a node without labels", { [`${beta}/zone`]: "us-west1-a" }, {}, false],
    ["a matching beta zone", { [`${beta}/zone`]: "us-west1-a" }, { [`${beta}/zone`]: "us-west1-a" }, false],
    ["a matching beta region", { [`${beta}/region`]: "us-west1" }, { [`${beta}/region`]: "us-west1" }, false],
    ["another beta region", { [`${beta}/region`]: "us-west1" }, { [`${beta}/region`]: "no_us-west1" }, true],
    ["another beta zone", { [`${beta}/zone`]: "us-west1-a" }, { [`${beta}/zone`]: "no_us-west1-a" }, true],
    ["a matching zone", { [`${stable}/zone`]: "us-west1-a" }, { [`${stable}/zone`]: "us-west1-a" }, false],
    ["a matching region", { [`${stable}/region`]: "us-west1" }, { [`${stable}/region`]: "us-west1" }, false],
    ["another region", { [`${stable}/region`]: "us-west1" }, { [`${stable}/region`]: "no_us-west1" }, true],
    ["another zone", { [`${stable}/zone`]: "us-west1-a" }, { [`${stable}/zone`]: "no_us-west1-a" }, true],
    [
      "a volume with zone and region, a node with a zone",
      { [`${stable}/zone`]: "us-west1-a", [`${stable}/region`]: "us-west1-a" },
      { [`${stable}/zone`]: "us-west1-a" },
      true,
    ],
    [
      "a volume with a zone, a node with a beta zone",
      { [`${stable}/zone`]: "us-west1-a" },
      { [`${beta}/zone`]: "us-west1-a" },
      true,
    ],
    [
      "a volume with a beta zone, a node with that zone",
      { [`${beta}/zone`]: "us-west1-a" },
      { [`${stable}/zone`]: "us-west1-a" },
      false,
    ],
    [
      "a volume with a beta zone, a node with another zone",
      { [`${beta}/zone`]: "us-west1-a" },
      { [`${stable}/zone`]: "us-west1-b" },
      true,
    ],
    [
      "one of several zones",
      { [`${beta}/zone`]: "us-west1-c__us-west1-a" },
      { [`${beta}/zone`]: "us-west1-a" },
      false,
    ],
    [
      "none of several zones",
      { [`${stable}/zone`]: "us-west1-c__us-west1-a" },
      { [`${stable}/zone`]: "us-west1-b" },
      true,
    ],
  ])("%s", (_, volume, labels, rejected) => {
    const objects = [aClaim("c", { volume: "v" }), aVolume("v", {}, volume)];
    expect(answer(volumeZone, using("p", "c"), objects, { labels })).toEqual(rejected ? conflict : undefined);
  });

  test.each<readonly [what: string, objects: readonly KubeObject[], reason: string | undefined]>([
    ["a missing claim", [], 'persistentvolumeclaim "c" not found'],
    ["a missing volume", [aClaim("c", { volume: "v" })], 'persistentvolume "v" not found'],
    ["a claim without a class", [aClaim("c")], "PersistentVolumeClaim had no pv name and storageClass name"],
    ["a missing class", [aClaim("c", { storageClass: "s" })], 'storageclass.storage.k8s.io "s" not found'],
    [
      "an immediate class",
      [aClaim("c", { storageClass: "s" }), aClass("s", "p", {})],
      "PersistentVolume had no name",
    ],
    ["a class that waits", [aClaim("c", { storageClass: "s" }), aClass("s", "p")], undefined],
  ])("%s", (_, objects, reason) => {
    expect(answer(volumeZone, using("p", "c"), objects)).toBe(reason);
  });
});

describe("VolumeRestrictions", () => {
  const taken = ["node(s) had no available disk"];
  const withDisk = (name: string, volume: object) =>
    aPod(name, {}, { volumes: [{ name: "disk", ...volume }] });
  const gce = (pdName: string, readOnly = false) => ({ gcePersistentDisk: { pdName, readOnly } });
  const rbd = (monitors: readonly string[], readOnly = false) => ({
    rbd: { monitors, pool: "foo", image: "bar", readOnly },
  });
  const iscsi = (iqn: string, readOnly = false) => ({
    iscsi: { targetPortal: "127.0.0.1:3260", iqn, lun: 0, readOnly },
  });
  const aws = (volumeID: string) => ({ awsElasticBlockStore: { volumeID } });

  test.each<readonly [what: string, wanted: object, present: object, rejected: boolean]>([
    ["nothing wanted", { emptyDir: {} }, gce("foo"), false],
    ["the same GCE disk", gce("foo"), gce("foo"), true],
    ["another GCE disk", gce("bar"), gce("foo"), false],
    ["the same GCE disk, both read it", gce("foo", true), gce("foo", true), false],
    ["the same GCE disk, one reads it", gce("foo", true), gce("foo"), true],
    ["the same AWS disk", aws("foo"), aws("foo"), true],
    ["another AWS disk", aws("bar"), aws("foo"), false],
    ["an RBD with a common monitor", rbd(["a", "b"]), rbd(["b", "c"]), true],
    ["an RBD without a common monitor", rbd(["c", "d"]), rbd(["a", "b"]), false],
    ["an RBD that both read", rbd(["a"], true), rbd(["a"], true), false],
    [
      "the same iSCSI target",
      iscsi("iqn.2016-12.server:storage.target01"),
      iscsi("iqn.2016-12.server:storage.target01"),
      true,
    ],
    [
      "another iSCSI target",
      iscsi("iqn.2017-12.server:storage.target01"),
      iscsi("iqn.2016-12.server:storage.target01"),
      false,
    ],
  ])("%s", (_, wanted, present, rejected) => {
    const found = answer(volumeRestrictions, withDisk("p", wanted), [], {
      present: [withDisk("q", present)],
    });
    expect(found).toEqual(rejected ? taken : undefined);
  });

  const exclusive = aClaim("one", { modes: ["ReadWriteOncePod"] });
  const shared = aClaim("many");
  const inUse = [
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
  ];

  test("a claim for one Pod is taken, on whatever node its Pod is, until the Pod is gone", () => {
    const snapshot = new Snapshot();
    for (const name of ["n", "m"]) snapshot.setNode(node(name));
    const holder = using("q", "one");
    snapshot.setPod(holder, "m");
    const plugin = volumeRestrictions(handleOf(exclusive, shared));
    const state = plugin.preFilter?.(using("p", "one", "many"), snapshot);
    if (state?.type !== "filtering") throw new Error("The plugin does not filter");
    const [n, m] = snapshot.nodes;
    if (n === undefined || m === undefined) throw new Error("A node is missing");
    expect(state.filter(n)?.reasons).toEqual(inUse);
    state.removePod?.(holder, m);
    expect(state.filter(n)).toBeUndefined();
    state.addPod?.(using("r", "many"), n);
    expect(state.filter(n)).toBeUndefined();
    state.addPod?.(holder, n);
    expect(state.filter(m)?.unresolvable).toBe(false);
  });

  test("Pods that share a claim for one Pod have a scheduling class of their own", () => {
    const plugin = volumeRestrictions(handleOf(exclusive, shared));
    const key = (...claims: readonly string[]) => plugin.keyOf?.(using("p", ...claims));
    expect(key("many", "one")).toBe(key("one"));
    expect(key("many")).toBeUndefined();
    expect(key("one")).toBeDefined();
    expect(key("ghost")).toBeDefined();
  });

  test("a missing claim rejects the Pod", () => {
    expect(answer(volumeRestrictions, using("p", "ghost"), [])).toBe(
      'persistentvolumeclaim "ghost" not found',
    );
  });

  test("the removal of a Pod with the claim or the disk is worth a try", () => {
    const plugin = volumeRestrictions(handleOf(exclusive));
    const removed = (pod: Pod, other: Pod) => plugin.helps?.(pod, { type: "podRemoved", pod: other });
    expect(removed(using("p", "one"), using("q", "one"))).toBe(true);
    expect(removed(using("p", "one"), using("q", "many"))).toBe(false);
    expect(removed(withDisk("p", gce("foo")), withDisk("q", gce("foo")))).toBe(true);
    expect(removed(withDisk("p", gce("foo")), withDisk("q", gce("bar")))).toBe(false);
  });
});

describe("NodeVolumeLimits", () => {
  const driver = "csi.example.com";
  const limit = (count?: number, name = driver) =>
    build(csiNodes, {
      metadata: { name: "n" },
      spec: {
        drivers: [
          { name, nodeID: "n", topologyKeys: [], ...(count === undefined ? {} : { allocatable: { count } }) },
        ],
      },
    });
  const made = (name: string, by = driver) => [
    aClaim(name, { volume: `v-${name}` }),
    aVolume(`v-${name}`, { csi: { driver: by, volumeHandle: name } }),
  ];
  const attachment = (volume: string) =>
    build(volumeAttachments, {
      metadata: { name: `a-${volume}` },
      spec: { attacher: driver, nodeName: "n", source: { persistentVolumeName: volume } },
    });
  const full = ["node(s) exceed max volume count"];
  const all = ["a", "b", "c"].flatMap((name) => made(name));
  const present = [using("q", "a"), using("r", "b")];

  test.each<readonly [what: string, pod: Pod, objects: readonly KubeObject[], rejected: boolean]>([
    ["room for one more", using("p", "c"), [...all, limit(3)], false],
    ["no room", using("p", "c"), [...all, limit(2)], true],
    ["a volume that is there already", using("p", "a"), [...all, limit(2)], false],
    ["no limit", using("p", "c"), [...all, limit()], false],
    ["another driver's limit", using("p", "c"), [...all, limit(1, "other")], false],
    ["a Pod without volumes", aPod("p"), [...all, limit(0)], false],
    ["two volumes and room for one", using("p", "c", "d"), [...all, ...made("d"), limit(3)], true],
    ["a volume of another driver", using("p", "d"), [...all, ...made("d", "other"), limit(2)], false],
    [
      "a volume that no Pod uses any more",
      using("p", "c"),
      [...all, ...made("d"), attachment("v-d"), limit(3)],
      true,
    ],
    ["a used volume with its attachment", using("p", "c"), [...all, attachment("v-a"), limit(3)], false],
    [
      "a volume to be made",
      using("p", "new"),
      [...all, aClaim("new", { storageClass: "s" }), aClass("s", driver), limit(2)],
      true,
    ],
    [
      "a volume to be made, and room",
      using("p", "new"),
      [...all, aClaim("new", { storageClass: "s" }), aClass("s", driver), limit(3)],
      false,
    ],
  ])("%s", (_, pod, objects, rejected) => {
    expect(answer(nodeVolumeLimits, pod, objects, { present })).toEqual(rejected ? full : undefined);
  });

  test.each([
    ["raised", 10, 15, true],
    ["lowered", 15, 10, false],
    ["unchanged", 10, 10, false],
  ])("a limit that is %s", (_, before, after, expected) => {
    const event: ClusterEvent = {
      type: "objectChanged",
      kind: csiNodes,
      old: limit(before),
      object: limit(after),
    };
    expect(nodeVolumeLimits(handleOf()).helps?.(using("p", "c"), event)).toBe(expected);
  });
});

describe("VolumeBinding", () => {
  const none = "node(s) didn't find available persistent volumes to bind";
  const conflict = "node(s) didn't match PersistentVolume's node affinity";
  const space = "node(s) did not have enough free storage";
  const missing = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
  const local = aClass("local", "kubernetes.io/no-provisioner");
  const made = aClass("made", "disk.example.com");
  const here = { storageClassName: "local", nodeAffinity: onNodes("n") };
  const there = { storageClassName: "local", nodeAffinity: onNodes("m") };
  const waits = aClaim("c", { storageClass: "local" });
  const toMake = (metadata: object = {}) => aClaim("c", { storageClass: "made", size: "5Gi", metadata });
  const driver = (storageCapacity: boolean) =>
    build(csiDrivers, { metadata: { name: "disk.example.com" }, spec: { storageCapacity } });
  const capacity = (size: object, matchLabels: object = { host: "n" }) =>
    build(csiStorageCapacities, {
      metadata: { name: "s", namespace: "kube-system" },
      storageClassName: "made",
      nodeTopology: { matchLabels },
      ...size,
    });
  const zoned = aClass("made", "disk.example.com", {
    volumeBindingMode: "WaitForFirstConsumer",
    allowedTopologies: [{ matchLabelExpressions: [{ key: "host", values: ["m"] }] }],
  });
  const selected = (name: string) => ({ annotations: { "volume.kubernetes.io/selected-node": name } });
  const deletionTimestamp = "2026-01-01T00:00:00Z";

  test.each<
    readonly [what: string, objects: readonly KubeObject[], expected: string | readonly string[] | undefined]
  >([
    ["a missing claim", [], 'persistentvolumeclaim "c" not found'],
    [
      "an immediate claim",
      [aClaim("c", { storageClass: "s" }), aClass("s", "p", {})],
      "pod has unbound immediate PersistentVolumeClaims",
    ],
    [
      "a claim that names a volume",
      [aClaim("c", { storageClass: "local", volume: "v", metadata: { annotations: {} } }), local],
      "pod has unbound immediate PersistentVolumeClaims",
    ],
    ["a claim without a class", [aClaim("c")], "pod has unbound immediate PersistentVolumeClaims"],
    [
      "a lost claim",
      [aClaim("c", { volume: "pv-a", phase: "Lost" })],
      'persistentvolumeclaim "c" bound to non-existent persistentvolume "pv-a"',
    ],
    [
      "a deleted claim",
      [aClaim("c", { volume: "v", metadata: { deletionTimestamp } }), aVolume("v")],
      'persistentvolumeclaim "c" is being deleted',
    ],
    ["a bound claim", [aClaim("c", { volume: "v" }), aVolume("v")], undefined],
    ["a volume on this node", [aClaim("c", { volume: "v" }), aVolume("v", here)], undefined],
    ["a volume elsewhere", [aClaim("c", { volume: "v" }), aVolume("v", there)], [conflict]],
    ["a missing volume", [aClaim("c", { volume: "v" })], [missing]],
    ["no volume to bind", [waits, local], [none]],
    ["a volume to bind", [waits, local, aVolume("v", here)], undefined],
    ["a volume to bind elsewhere", [waits, local, aVolume("v", there)], [none]],
    [
      "a volume that is too small",
      [waits, local, aVolume("v", { ...here, capacity: { storage: "1M" } })],
      [none],
    ],
    ["a volume of another class", [waits, local, aVolume("v", { ...here, storageClassName: "s" })], [none]],
    [
      "a volume of another claim",
      [waits, local, aVolume("v", { ...here, claimRef: { namespace: "default", name: "other" } })],
      [none],
    ],
    [
      "a volume reserved to the claim elsewhere",
      [
        waits,
        local,
        aVolume("v", here),
        aVolume("w", { ...there, claimRef: { namespace: "default", name: "c" } }),
      ],
      [none],
    ],
    ["a volume to be made", [toMake(), made], undefined],
    ["a volume to be made in another topology", [toMake(), zoned], [none]],
    ["a volume that is made for this node", [toMake(selected("n")), made], undefined],
    ["a volume that is made for another node", [toMake(selected("m")), made], [none]],
    ["a driver that does not report its space", [toMake(), made, driver(false)], undefined],
    ["a driver without space", [toMake(), made, driver(true)], [space]],
    ["a driver with space", [toMake(), made, driver(true), capacity({ capacity: "5Gi" })], undefined],
    [
      "a driver with too little space",
      [toMake(), made, driver(true), capacity({ capacity: "4Gi" })],
      [space],
    ],
    [
      "a driver with space elsewhere",
      [toMake(), made, driver(true), capacity({ capacity: "9Gi" }, { host: "m" })],
      [space],
    ],
    [
      "a driver whose volumes are too small",
      [toMake(), made, driver(true), capacity({ capacity: "9Gi", maximumVolumeSize: "1Gi" })],
      [space],
    ],
  ])("%s", (_, objects, expected) => {
    expect(answer(volumeBinding, using("p", "c"), objects)).toEqual(expected);
  });

  test("all reasons are reported, in order", () => {
    const objects = [aClaim("a", { volume: "v" }), aVolume("v", there), waits, local];
    expect(answer(volumeBinding, using("p", "a", "c"), objects)).toEqual([conflict, none]);
  });

  test("two claims need a volume each", () => {
    const two = [waits, aClaim("d", { storageClass: "local", size: "2Gi" }), local];
    const [small, large] = [
      aVolume("small", here),
      aVolume("large", { ...here, capacity: { storage: "2Gi" } }),
    ];
    expect(answer(volumeBinding, using("p", "d", "c"), [...two, large])).toEqual([none]);
    // The large volume comes first, but the smaller claim takes the smaller volume.
    expect(answer(volumeBinding, using("p", "d", "c"), [...two, large, small])).toBeUndefined();
  });

  test("the claim of an ephemeral volume must exist, and be the Pod's", () => {
    const pod = aPod("p", {}, { volumes: [{ name: "d", ephemeral: { volumeClaimTemplate: { spec: {} } } }] });
    expect(answer(volumeBinding, pod, [])).toBe(
      'waiting for ephemeral volume controller to create the persistentvolumeclaim "p-d"',
    );
    expect(answer(volumeBinding, pod, [aClaim("p-d")])).toBe(
      "PVC default/p-d was not created for pod default/p (pod is not owner)",
    );
  });

  test("a reserved volume is no other Pod's, until it is given back", () => {
    const claims = [waits, aClaim("d", { storageClass: "local" })];
    const plugin = volumeBinding(handleOf(...claims, local, aVolume("v", here)));
    const snapshot = new Snapshot();
    snapshot.setNode(node("n"));
    const [first, second] = [using("p", "c"), using("q", "d")];
    const [info] = snapshot.nodes;
    const reasons = (pod: Pod) => {
      const state = plugin.preFilter?.(pod, snapshot);
      return info === undefined || state?.type !== "filtering" ? undefined : state.filter(info)?.reasons;
    };
    const before = plugin.keyOf?.(second);
    expect(before).toBe(plugin.keyOf?.(first));
    expect(reasons(second)).toBeUndefined();
    expect(plugin.reserve?.(first, "n")).toBeUndefined();
    expect(plugin.keyOf?.(second)).not.toBe(before);
    expect(reasons(second)).toEqual([none]);
    // Another Pod with the same claim gets the same volume.
    expect(reasons(using("r", "c"))).toBeUndefined();
    expect(plugin.reserve?.(second, "n")).toBe(none);
    plugin.unreserve?.(first, "n");
    expect(reasons(second)).toBeUndefined();
  });

  test("Pods with equal, separate claims share a scheduling class; others do not", () => {
    const objects = [
      ...["a", "b"].flatMap((name) => [aClaim(name, { volume: `v-${name}` }), aVolume(`v-${name}`, here)]),
      aClaim("e", { volume: "v-e" }),
      aVolume("v-e", there),
      ...["c", "d"].map((name) => aClaim(name, { storageClass: "made" })),
      aClaim("large", { storageClass: "made", size: "9Gi" }),
      made,
    ];
    const plugin = volumeBinding(handleOf(...objects));
    const key = (claim: string) => plugin.keyOf?.(using("p", claim));
    expect(key("a")).toBe(key("b"));
    expect(key("a")).not.toBe(key("e"));
    expect(key("c")).toBe(key("d"));
    expect(key("c")).not.toBe(key("large"));
    expect(plugin.keyOf?.(aPod("p"))).toBeUndefined();
  });

  const change = <K extends Kind>(
    kind: K,
    old: ObjectOf<K> | undefined,
    object: ObjectOf<K>,
  ): ClusterEvent => ({
    type: "objectChanged",
    kind,
    old,
    object,
  });
  const user = using("p", "c");
  const withCsi = aPod("p", {}, { volumes: [{ name: "v", csi: { driver: "disk.example.com" } }] });

  test.each<readonly [what: string, pod: Pod, event: ClusterEvent, expected: boolean]>([
    ["its claim", user, change(persistentVolumeClaims, waits, waits), true],
    ["another claim", user, change(persistentVolumeClaims, undefined, aClaim("other")), false],
    ["a volume", user, change(persistentVolumes, undefined, aVolume("v")), true],
    ["a new class", user, change(storageClasses, undefined, made), true],
    ["a class with other topologies", user, change(storageClasses, made, zoned), true],
    ["a class that stays as it is", user, change(storageClasses, made, made), false],
    ["new space", user, change(csiStorageCapacities, undefined, capacity({})), true],
    [
      "more space",
      user,
      change(csiStorageCapacities, capacity({ capacity: "1Gi" }), capacity({ capacity: "2Gi" })),
      true,
    ],
    [
      "the first space",
      user,
      change(csiStorageCapacities, capacity({}), capacity({ capacity: "2Gi" })),
      true,
    ],
    [
      "less space",
      user,
      change(csiStorageCapacities, capacity({ capacity: "2Gi" }), capacity({ capacity: "1Gi" })),
      false,
    ],
    [
      "space for larger volumes",
      user,
      change(
        csiStorageCapacities,
        capacity({ capacity: "1Gi", maximumVolumeSize: "1Gi" }),
        capacity({ capacity: "1Gi", maximumVolumeSize: "2Gi" }),
      ),
      true,
    ],
    ["a driver that no longer reports", withCsi, change(csiDrivers, driver(true), driver(false)), true],
    ["a driver that reports", withCsi, change(csiDrivers, driver(false), driver(true)), false],
    ["another Pod's driver", user, change(csiDrivers, driver(true), driver(false)), false],
    ["a node", user, { type: "nodeAdded", node: node("m") }, true],
    ["a node's labels", user, { type: "nodeUpdated", old: node("m"), node: node("m", { a: "b" }) }, true],
    ["a node that stays as it is", user, { type: "nodeUpdated", old: node("m"), node: node("m") }, false],
  ])("%s may help", (_, pod, event, expected) => {
    expect(volumeBinding(handleOf()).helps?.(pod, event)).toBe(expected);
  });
});
