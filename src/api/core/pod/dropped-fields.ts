import type { Draft } from "../../../meta/schema.ts";
import type { Lifecycle } from "./probe.ts";
import type { PodSpec, PodTemplateSpec } from "./spec.ts";
import type { PodStatus } from "./status.ts";

/**
 * Drops the fields of disabled feature gates, unless the stored object has them (upstream
 * `pkg/api/pod/util.go`, `dropDisabledFields`).
 */
export function dropDisabledFields(spec: Draft<PodSpec>, old?: PodSpec): void {
  if (old?.schedulingGroup === undefined) delete spec.schedulingGroup;
  for (const projection of ["clusterTrustBundle", "podCertificate"] as const) {
    if (sourcesOf(old).some((source) => source[projection] !== undefined)) continue;
    for (const source of sourcesOf(spec)) delete source[projection];
  }
  if (containersOf(old).some(({ lifecycle }) => lifecycle?.stopSignal !== undefined)) return;
  for (const container of containersOf(spec)) dropStopSignal(container);
}

/** A kind with a Pod template, whose fields are dropped in the same way. */
interface Owner {
  readonly spec: { readonly template: PodTemplateSpec };
}

export const templateHooks = {
  prepareForCreate: ({ spec }: Draft<Owner>): void => dropDisabledFields(spec.template.spec),
  prepareForUpdate: ({ spec }: Draft<Owner>, old: Owner): void =>
    dropDisabledFields(spec.template.spec, old.spec.template.spec),
};

function dropStopSignal(container: { lifecycle?: Draft<Lifecycle> }): void {
  const { lifecycle } = container;
  if (lifecycle?.stopSignal === undefined) return;
  delete lifecycle.stopSignal;
  if (lifecycle.postStart === undefined && lifecycle.preStop === undefined) delete container.lifecycle;
}

/** Drops the status fields of disabled feature gates (`dropDisabledPodStatusFields`). */
export function dropDisabledStatus(status: Draft<PodStatus>, old: PodStatus): void {
  if (old.nodeAllocatableResourceClaimStatuses === undefined) {
    delete status.nodeAllocatableResourceClaimStatuses;
  }
  if (mountsOf(old).some(({ volumeStatus }) => volumeStatus !== undefined)) return;
  for (const mount of mountsOf(status)) delete mount.volumeStatus;
}

interface WithMounts<Mount> {
  readonly containerStatuses?: readonly { readonly volumeMounts?: readonly Mount[] }[];
  readonly initContainerStatuses?: WithMounts<Mount>["containerStatuses"];
  readonly ephemeralContainerStatuses?: WithMounts<Mount>["containerStatuses"];
}

function mountsOf<Mount>({
  containerStatuses = [],
  initContainerStatuses = [],
  ephemeralContainerStatuses = [],
}: WithMounts<Mount>): readonly Mount[] {
  const all = [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses];
  return all.flatMap(({ volumeMounts = [] }) => volumeMounts);
}

interface WithVolumes<Source> {
  readonly volumes?: readonly { readonly projected?: { readonly sources: readonly Source[] } }[];
}

function sourcesOf<Source>({ volumes = [] }: WithVolumes<Source> = {}): readonly Source[] {
  return volumes.flatMap(({ projected }) => projected?.sources ?? []);
}

interface WithContainers<Container, Ephemeral> {
  readonly containers?: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly ephemeralContainers?: readonly Ephemeral[];
}

function containersOf<Container, Ephemeral>({
  containers = [],
  initContainers = [],
  ephemeralContainers = [],
}: WithContainers<Container, Ephemeral> = {}): readonly (Container | Ephemeral)[] {
  return [...containers, ...initContainers, ...ephemeralContainers];
}
