import { describe, expect, test } from "vitest";
import type { PersistentVolumeClaim } from "../../api/core/persistent-volume-claim/schema.ts";
import type { PersistentVolume } from "../../api/core/persistent-volume/schema.ts";
import { storageClasses } from "../../api/storage/storage-class/schema.ts";
import { build } from "../builders.suite.ts";
import { claimFrom, volumeFrom } from "./builders.suite.ts";
import { type ClaimView, planClaim } from "./claim-plan.ts";
import type { Outcome } from "./outcome.ts";
import { upstreamCases } from "./upstream-cases.suite.ts";
import { planVolume, type VolumeView } from "./volume-plan.ts";

const aClass = (name: string, provisioner: string, more: object = {}) =>
  build(storageClasses, { metadata: { name }, provisioner, ...more });
const wait = { volumeBindingMode: "WaitForFirstConsumer" };
const classes = [
  aClass("wait", "kubernetes.io/no-provisioner", wait),
  aClass("external-wait", "example.com/disk", wait),
  aClass("external", "example.com/disk"),
  aClass("internal", "kubernetes.io/unknown"),
  aClass("migrated", "kubernetes.io/gce-pd"),
];

const claimView = (
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  others: Partial<ClaimView> = {},
): ClaimView => ({
  volume: volumes.find(({ metadata }) => metadata.name === claim.spec.volumeName),
  reserved: () => volumes.filter(({ spec }) => spec.claimRef?.name === claim.metadata.name),
  free: () => volumes.filter(({ spec }) => spec.claimRef === undefined),
  classes: () => classes,
  waitingPods: () => [],
  ...others,
});

const volumeView = (
  { spec: { claimRef } }: PersistentVolume,
  claims: readonly PersistentVolumeClaim[],
): VolumeView => {
  const named = claims.find(({ metadata }) => metadata.name === claimRef?.name);
  const claim = named?.metadata.uid === claimRef?.uid ? named : undefined;
  return { claim, isNameTaken: named !== undefined, users: () => [] };
};

interface Case {
  readonly title: string;
  readonly kind: string;
  readonly volumes: (readonly [before: string, after: string])[];
  readonly claims: (readonly [before: string, after: string])[];
  readonly events: readonly string[];
  readonly fails: boolean;
}

function parse(text: string): Case {
  const [head = "", ...lines] = text.split("\n").map((line) => line.trim());
  const kind = head.slice(head.lastIndexOf(": ") + 2);
  const objects = (prefix: string) =>
    lines.flatMap((line, i) => {
      if (!line.startsWith(prefix)) return [];
      const before = line.slice(prefix.length);
      const next = lines[i + 1] ?? "";
      return [[before, next.startsWith("-> ") ? next.slice(3) : before] as const];
    });
  return {
    title: head,
    kind,
    volumes: objects("volume "),
    claims: objects("claim "),
    events: lines.filter((line) => /^(Normal|Warning) /.test(line)),
    fails: lines.includes("error"),
  };
}

/** The volume without what upstream's tests do not compare either. */
function comparable({ spec, status, ...rest }: PersistentVolume): object {
  const { resourceVersion: _, ...claimRef } = spec.claimRef ?? {};
  const { message: __, ...shown } = status;
  return { ...rest, spec: { ...spec, ...(spec.claimRef === undefined ? {} : { claimRef }) }, status: shown };
}

const cases = upstreamCases.trim().split("\n\n").map(parse);

test.each(cases.map((one) => [one.title, one] as const))(
  "%s",
  (_, { kind, volumes, claims, events, fails }) => {
    const before = {
      volumes: volumes.map(([one]) => volumeFrom(one)),
      claims: claims.map(([one]) => claimFrom(one)),
    };
    const [volume] = before.volumes;
    const [claim] = before.claims;
    const outcome =
      kind === "volume"
        ? volume && planVolume(volume, volumeView(volume, before.claims))
        : claim && planClaim(claim, claimView(claim, before.volumes));
    const shown = (outcome?.events ?? []).map(({ type, reason }) => `${type} ${reason}`);
    expect([...new Set(shown)]).toEqual(events);
    expect(outcome?.failure !== undefined).toBe(fails);
    const written = outcome?.volume;
    const changed = before.volumes.map((one) =>
      written !== undefined && written.metadata.name === one.metadata.name ? written : one,
    );
    expect(changed.map(comparable)).toEqual(volumes.map(([, after]) => comparable(volumeFrom(after))));
    const after = claims.map(([, one]) => claimFrom(one));
    expect(outcome?.claim === undefined ? before.claims : [outcome.claim]).toEqual(after);
  },
);

describe("a claim without a volume", () => {
  const told = (line: string, others: Partial<ClaimView> = {}) => {
    const claim = claimFrom(line);
    const { events = [], ...rest } = planClaim(claim, claimView(claim, [], others));
    return { ...rest, events: events.map(({ type, reason, message }) => `${type} ${reason}: ${message}`) };
  };
  const asked = (name: string): string =>
    `Normal ExternalProvisioning: Waiting for a volume to be created either by the external provisioner '${name}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`;

  test.each([
    [
      "c/u 1Gi Pending class=wait",
      "Normal WaitForFirstConsumer: waiting for first consumer to be created before binding",
    ],
    ["c/u 1Gi Pending class=external", asked("example.com/disk")],
    ["c/u 1Gi Pending class=external-wait node=n", asked("example.com/disk")],
    [
      "c/u 1Gi Pending class=wait node=n",
      "Warning ProvisioningFailed: no volume plugin matched name: kubernetes.io/no-provisioner",
    ],
    [
      "c/u 1Gi Pending class=internal",
      "Warning ProvisioningFailed: no volume plugin matched name: kubernetes.io/unknown",
    ],
    [
      "c/u 1Gi Pending class=ghost",
      'Warning ProvisioningFailed: storageclass.storage.k8s.io "ghost" not found',
    ],
    ["c/u 1Gi Pending class=migrated", asked("pd.csi.storage.gke.io")],
    [
      "c/u 1Gi Pending class=",
      "Normal FailedBinding: no persistent volumes available for this claim and no storage class is set",
    ],
  ])("%s", (line, message) => {
    expect(told(line).events).toEqual([message]);
  });

  test("names the Pods that wait for a node", () => {
    const waiting = (...names: string[]) =>
      told("c/u 1Gi Pending class=wait", { waitingPods: () => names }).events;
    expect(waiting("a")).toEqual(["Normal WaitForPodScheduled: waiting for pod a to be scheduled"]);
    expect(waiting("a", "b")).toEqual(["Normal WaitForPodScheduled: waiting for pods a,b to be scheduled"]);
  });

  test("names its provisioner once", () => {
    const { claim } = told("c/u 1Gi Pending class=external");
    const annotations = {
      "volume.beta.kubernetes.io/storage-provisioner": "example.com/disk",
      "volume.kubernetes.io/storage-provisioner": "example.com/disk",
    };
    expect(claim?.metadata.annotations).toEqual(annotations);
    const again: Outcome = claim === undefined ? {} : planClaim(claim, claimView(claim, []));
    expect(again.claim).toBe(claim);
  });

  test("gets the default class that came later, unless it asks for none", () => {
    const isDefault = { "storageclass.kubernetes.io/is-default-class": "true" };
    const view = {
      classes: () => [
        build(storageClasses, { metadata: { name: "new", annotations: isDefault }, provisioner: "p" }),
      ],
    };
    expect(told("c/u 1Gi Pending", view).claim?.spec.storageClassName).toBe("new");
    expect(told("c/u 1Gi Pending class=", view).claim?.spec.storageClassName).toBe("");
  });
});

describe("a volume whose claim is gone", () => {
  const released = (
    line: string,
    source: object = {},
    annotations: object = {},
    users: readonly string[] = [],
  ) => {
    const volume = volumeFrom(line);
    const { gcePersistentDisk: _, ...spec } = volume.spec;
    const given = {
      ...volume,
      metadata: { ...volume.metadata, annotations: { ...annotations } },
      spec: { ...spec, ...source },
    };
    const { volume: after, events = [] } = planVolume(given, {
      claim: undefined,
      isNameTaken: false,
      users: () => users,
    });
    return [
      after?.status.phase,
      after?.status.message,
      ...events.map(({ reason, message }) => `${reason}: ${message}`),
    ];
  };
  const by = (provisioner: string) => ({ "pv.kubernetes.io/provisioned-by": provisioner });
  const none = 'error getting deleter volume plugin for volume "v": no deletable volume plugin matched';
  const recycler = "No recycler plugin found for the volume!";

  test.each<
    readonly [what: string, given: Parameters<typeof released>, expected: readonly (string | undefined)[]]
  >([
    ["is retained", ["v 1Gi Bound for=c/u"], ["Released", undefined]],
    [
      "is left to its provisioner",
      ["v 1Gi Bound for=c/u Delete", {}, by("example.com/disk")],
      ["Released", undefined],
    ],
    [
      "is left to the driver that replaces a plugin",
      ["v 1Gi Bound for=c/u Delete", {}, by("kubernetes.io/gce-pd")],
      ["Released", undefined],
    ],
    [
      "of a driver is left to the driver",
      ["v 1Gi Bound for=c/u Delete", { csi: { driver: "d", volumeHandle: "h" } }],
      ["Released", undefined],
    ],
    [
      "is not deleted without a plugin",
      ["v 1Gi Bound for=c/u Delete", { nfs: { server: "s", path: "/" } }],
      ["Failed", none, `VolumeFailedDelete: ${none}`],
    ],
    ["keeps its failure", ["v 1Gi Failed for=c/u Delete"], ["Failed", undefined]],
    [
      "is not recycled",
      ["v 1Gi Bound for=c/u Recycle"],
      ["Failed", recycler, `VolumeFailedRecycle: ${recycler}`],
    ],
    [
      "is not recycled while it is used",
      ["v 1Gi Bound for=c/u Recycle", {}, {}, ["n/b", "n/a"]],
      ["Released", undefined, "VolumeFailedRecycle: Volume is used by pods: n/a,n/b"],
    ],
  ])("%s", (_, given, expected) => {
    expect(released(...given)).toEqual(expected);
  });
});
