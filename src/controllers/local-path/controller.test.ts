import { expect, test } from "vitest";
import { persistentVolumeClaims } from "../../api/core/persistent-volume-claim/schema.ts";
import { persistentVolumes } from "../../api/core/persistent-volume/schema.ts";
import { storageClasses } from "../../api/storage/storage-class/schema.ts";
import { claimProtectionController } from "../persistent-volume-claim-protection/controller.ts";
import { persistentVolumeBinder } from "../persistent-volume-binder/controller.ts";
import { volumeProtectionController } from "../persistent-volume-protection/controller.ts";
import { startTestbed, type Testbed } from "../testbed.suite.ts";
import { localPathController } from "./controller.ts";

interface Bed extends Testbed {
  readonly log: string[];
  isReady: boolean;
  failure: string | undefined;
}

async function start(): Promise<Bed> {
  const log: string[] = [];
  const state = { isReady: true, failure: undefined as string | undefined };
  const act = (what: string) => (node: string, volume: string) => {
    if (state.failure !== undefined) return Promise.reject(new Error(state.failure));
    log.push(`${what} ${node} ${volume.slice(0, 4)}`);
    return Promise.resolve();
  };
  const directories = {
    isReady: () => state.isReady,
    rootOf: (node: string) => (node === "node-1" ? "/data" : undefined),
    make: act("make"),
    remove: act("remove"),
  };
  const bed = await startTestbed(() => [
    persistentVolumeBinder(),
    volumeProtectionController(),
    claimProtectionController(),
    localPathController(directories),
  ]);
  await bed.client.of(storageClasses).create({
    metadata: { name: "local-path" },
    provisioner: "knarr.dev/local-path",
    volumeBindingMode: "WaitForFirstConsumer",
  });
  return Object.assign(state, bed, { log });
}

async function addClaim({ client }: Bed, node = "node-1"): Promise<void> {
  await client.of(persistentVolumeClaims, "default").create({
    metadata: { name: "data", annotations: { "volume.kubernetes.io/selected-node": node } },
    spec: {
      storageClassName: "local-path",
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
    },
  });
}

const claim = ({ client }: Bed) => client.of(persistentVolumeClaims, "default").get("data");
const volumes = async ({ client }: Bed) => (await client.of(persistentVolumes).list()).items;
const untilBound = (bed: Bed) => bed.until(async () => (await claim(bed)).status.phase === "Bound");

test("a claim is bound to a directory, which is removed with the claim", async () => {
  const bed = await start();
  bed.isReady = false;
  await addClaim(bed);
  await bed.clock.advance(10_000);
  expect(bed.log).toEqual([]);
  bed.isReady = true;
  await untilBound(bed);
  expect(bed.log).toEqual(["make node-1 pvc-"]);
  expect(await bed.eventsOf("data")).toEqual(
    expect.arrayContaining([
      'Provisioning: External provisioner is provisioning volume for claim "default/data"',
      expect.stringMatching(/^ProvisioningSucceeded: Successfully provisioned volume pvc-/),
    ]),
  );
  await bed.client.of(persistentVolumeClaims, "default").delete("data");
  await bed.until(async () => (await volumes(bed)).length === 0);
  expect(bed.log).toEqual(["make node-1 pvc-", "remove node-1 pvc-"]);
  expect(bed.complaints).toEqual([]);
});

test("a volume stays until its directory can be removed", async () => {
  const bed = await start();
  await addClaim(bed);
  await untilBound(bed);
  bed.failure = "busy";
  const [volume] = await volumes(bed);
  const name = volume?.metadata.name ?? "";
  await bed.client.of(persistentVolumes).delete(name);
  await bed.client.of(persistentVolumeClaims, "default").delete("data");
  await bed.until(async () => (await bed.eventsOf(name)).includes("VolumeFailedDelete: busy"));
  bed.failure = undefined;
  await bed.until(async () => (await volumes(bed)).length === 0);
  expect(bed.log).toEqual(["make node-1 pvc-", "remove node-1 pvc-"]);
});

test("a claim whose node has no directories is scheduled again", async () => {
  const bed = await start();
  await addClaim(bed, "node-2");
  const selected = async () =>
    (await claim(bed)).metadata.annotations?.["volume.kubernetes.io/selected-node"];
  await bed.until(async () => (await selected()) === undefined);
  const text =
    'ProvisioningFailed: failed to provision volume with StorageClass "local-path": node node-2 has no directories for local volumes';
  await bed.until(async () => (await bed.eventsOf("data")).includes(text));
  expect(await volumes(bed)).toEqual([]);
});
