import { chownSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { persistentVolumeClaims } from "../../api/core/persistent-volume-claim/schema.ts";
import { persistentVolumes } from "../../api/core/persistent-volume/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { decode } from "../../meta/decode.ts";
import type { Kind } from "../../meta/kind.ts";
import { errors } from "../../meta/status.ts";
import type { NodeContext } from "../node-context.ts";
import { nodeContext } from "../node-context.suite.ts";
import { aPod } from "../pod/builders.suite.ts";
import { VolumeManager } from "./manager.ts";
import { mountNfs, nfsSource } from "./nfs.ts";

describe.skipIf(process.platform !== "linux")("a Pod's claim", () => {
  let directory: string;
  let objects: Map<string, object>;
  let node: NodeContext;
  let manager: VolumeManager;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "knarr-claims-"));
    mkdirSync(join(directory, "disk"));
    objects = new Map();
    const of = ({ plural }: Kind) => ({
      get(name: string) {
        const found = objects.get(`${plural}/${name}`);
        const missing = errors.notFound({ group: "", resource: plural }, name);
        return found === undefined ? Promise.reject(missing) : Promise.resolve(found);
      },
    });
    // Safe: nothing else of the node is used.
    node = nodeContext({ client: { of } });
    manager = new VolumeManager(join(directory, "pods"));
    addClaim();
    addVolume({ local: { path: join(directory, "disk") } });
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  function addClaim(spec: object = {}, metadata: object = {}, status: object = { phase: "Bound" }): void {
    const fields = {
      metadata: { name: "data", namespace: "ns", uid: "c1", ...metadata },
      spec: { volumeName: "pv", ...spec },
      status,
    };
    objects.set("persistentvolumeclaims/data", decode(persistentVolumeClaims.schema, fields));
  }
  function addVolume(spec: object, metadata: object = {}): void {
    const claimRef = { namespace: "ns", name: "data", uid: "c1" };
    const fields = { metadata: { name: "pv", ...metadata }, spec: { claimRef, ...spec } };
    objects.set("persistentvolumes/pv", decode(persistentVolumes.schema, fields));
  }
  const using = (claim: object = {}, more: object = {}, uid = "u1"): Pod =>
    aPod(
      { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data", ...claim } }], ...more },
      { uid },
    );
  const prepare = async (pod = using()) => (await manager.prepare(node, pod)).get("v");

  const unable =
    "Unable to attach or mount volumes: unmounted volumes=[v], unattached volumes=[], failed to process volumes=[v]: ";
  const processing = `${unable}error processing PVC ns/data: `;
  const setUp = 'MountVolume.SetUp failed for volume "pv" : ';

  const refusals: readonly (readonly [what: string, change: () => void, message: string, pod?: Pod])[] = [
    [
      "without an object",
      () => objects.delete("persistentvolumeclaims/data"),
      `${processing}failed to fetch PVC from API server: persistentvolumeclaims "data" not found`,
    ],
    ["that is not bound", () => addClaim({}, {}, { phase: "Pending" }), `${processing}PVC is not bound`],
    [
      "that is deleted and not protected",
      () => addClaim({}, { deletionTimestamp: "2026-01-01T00:00:00Z" }),
      `${processing}PVC is being deleted`,
    ],
    [
      "without a volume",
      () => addClaim({ volumeName: "" }),
      `${processing}PVC has empty pvc.Spec.VolumeName`,
    ],
    [
      "whose volume is gone",
      () => objects.delete("persistentvolumes/pv"),
      `${processing}failed to fetch PV pv from API server: persistentvolumes "pv" not found`,
    ],
    [
      "whose volume is free",
      () => addVolume({ claimRef: undefined }),
      `${processing}found PV object pv but it has a nil pv.Spec.ClaimRef indicating it is not yet bound to the claim`,
    ],
    [
      "whose volume has another claim",
      () => addClaim({}, { uid: "c2" }),
      `${processing}found PV object pv but its pv.Spec.ClaimRef.UID c1 does not point to claim.UID c2`,
    ],
    [
      "in Block mode that is mounted",
      () => addVolume({ volumeMode: "Block" }),
      `${unable}volume v has volumeMode Block, but is specified in volumeMounts`,
      using({}, { containers: [{ name: "a", volumeMounts: [{ name: "v", mountPath: "/v" }] }] }),
    ],
    [
      "in Filesystem mode that is a device",
      () => {},
      `${unable}volume v has volumeMode Filesystem, but is specified in volumeDevices`,
      using({}, { containers: [{ name: "a", volumeDevices: [{ name: "v", devicePath: "/dev/v" }] }] }),
    ],
    [
      "of a kind that is not served",
      () => addVolume({ rbd: { monitors: [], image: "i" } }),
      `${setUp}volume pv is of a kind that this node does not support`,
    ],
    [
      "of a host path in Block mode",
      () => addVolume({ hostPath: { path: directory }, volumeMode: "Block" }),
      `${setUp}volume pv has volumeMode Block, which its kind does not support`,
    ],
    [
      "of a local path with ..",
      () => addVolume({ local: { path: `${directory}/../etc` } }),
      `must not contain '..'`,
    ],
  ];
  test.each(refusals.map(([what, change, message, pod]) => [what, change, message, pod] as const))(
    "%s is refused in upstream's words",
    async (_, change, message, pod) => {
      change();
      const refusal = expect(prepare(pod)).rejects;
      await refusal.toMatchObject({ reason: "CreateContainerConfigError" });
      await expect(prepare(pod)).rejects.toThrow(message);
    },
  );

  test("of an ephemeral volume belongs to its Pod", async () => {
    const pod = aPod({ volumes: [{ name: "v", ephemeral: {} }] }, { uid: "u1" });
    const claim = { name: "p-v", ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "u1" }] };
    addClaim({}, claim);
    objects.set("persistentvolumeclaims/p-v", objects.get("persistentvolumeclaims/data") ?? {});
    await expect(prepare(pod)).rejects.toThrow("was not created for pod ns/p (pod is not owner)");
    const [owner] = claim.ownerReferences;
    addClaim({}, { name: "p-v", ownerReferences: [{ ...owner, controller: true }] });
    objects.set("persistentvolumeclaims/p-v", objects.get("persistentvolumeclaims/data") ?? {});
    expect(await prepare(pod)).toEqual({ path: join(directory, "disk"), readOnly: false });
  });

  test("mounts its local directory, read-only on request, with the volume's group", async () => {
    expect(await prepare()).toEqual({ path: join(directory, "disk"), readOnly: false });
    addVolume(
      { local: { path: join(directory, "disk") } },
      { annotations: { "pv.beta.kubernetes.io/gid": "42" } },
    );
    expect(await prepare(using({ readOnly: true }))).toMatchObject({ readOnly: true, group: 42 });
  });

  test.each([
    ["missing", 'missing" does not exist'],
    ["file", "only directory and block device are supported"],
  ])("a local path that is %s is refused", async (name, message) => {
    writeFileSync(join(directory, "file"), "");
    addVolume({ local: { path: join(directory, name) } });
    await expect(prepare()).rejects.toThrow(message);
  });

  test("a host path is created by its type", async () => {
    addVolume({ hostPath: { path: join(directory, "new"), type: "DirectoryOrCreate" } });
    expect(await prepare()).toEqual({ path: join(directory, "new"), readOnly: false });
    expect(statSync(join(directory, "new")).isDirectory()).toBe(true);
  });

  test("with ReadWriteOncePod has one Pod at a time", async () => {
    addVolume({ local: { path: join(directory, "disk") }, accessModes: ["ReadWriteOncePod"] });
    await prepare();
    await prepare();
    const other = using({}, {}, "u2");
    await expect(prepare(other)).rejects.toThrow(
      "volume uses the ReadWriteOncePod access mode and is already in use by another pod",
    );
    await manager.remove(node, "u1");
    await prepare(other);
  });

  test.skipIf(process.getuid?.() !== 0)("gives a local directory to the first Pod's group", async () => {
    symlinkSync(join(directory, "disk"), join(directory, "link"));
    addVolume({ local: { path: join(directory, "link") } });
    const group = (fsGroup: number) => ({ securityContext: { fsGroup } });
    await prepare(using({}, group(77)));
    expect(statSync(join(directory, "disk"))).toMatchObject({ gid: 77 });
    // A second preparation for the same Pod leaves what the Pod has changed.
    chownSync(join(directory, "disk"), 0, 5);
    await prepare(using({}, group(77)));
    manager = new VolumeManager(join(directory, "pods"));
    await prepare(using({}, group(77)));
    expect(statSync(join(directory, "disk"))).toMatchObject({ gid: 5 });
    chownSync(join(directory, "disk"), 0, 77);
    await prepare(using({}, group(78), "u2"));
    expect(statSync(join(directory, "disk"))).toMatchObject({ gid: 77 });
  });
});

describe("an NFS volume", () => {
  const source = { server: "192.0.2.1", path: "/export" };

  test("is refused on a node without mount.nfs", async () => {
    const mounting = { source, readOnly: false, options: [], helpers: ["/nonexistent/mount.nfs"] };
    await expect(mountNfs("/nonexistent/volume", mounting)).rejects.toThrow(
      "cannot mount NFS: this node has no mount.nfs; install nfs-common or nfs-utils",
    );
  });

  test("names an IPv6 server in brackets", () => {
    expect(nfsSource(source)).toBe("192.0.2.1:/export");
    expect(nfsSource({ server: "2001:db8::1", path: "/e" })).toBe("[2001:db8::1]:/e");
  });
});
