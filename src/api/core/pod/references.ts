import type { Pod } from "./schema.ts";
import type { Volume } from "../volume/schema.ts";

type Spec = Pod["spec"];

/** Yields the Secrets that a Pod references (upstream `api/v1/pod.VisitPodSecretNames`). */
export function* secretNames(spec: Spec): Generator<string> {
  for (const { name } of spec.imagePullSecrets ?? []) yield* named(name);
  for (const { env = [], envFrom = [] } of allContainers(spec)) {
    for (const { secretRef } of envFrom) yield* named(secretRef?.name);
    for (const { valueFrom } of env) yield* named(valueFrom?.secretKeyRef?.name);
  }
  for (const volume of spec.volumes ?? []) {
    yield* named(secretOf(volume));
    for (const { secret } of volume.projected?.sources ?? []) yield* named(secret?.name);
  }
}

/** Yields the ConfigMaps that a Pod references (upstream `api/v1/pod.VisitPodConfigmapNames`). */
export function* configMapNames(spec: Spec): Generator<string> {
  for (const { env = [], envFrom = [] } of allContainers(spec)) {
    for (const { configMapRef } of envFrom) yield* named(configMapRef?.name);
    for (const { valueFrom } of env) yield* named(valueFrom?.configMapKeyRef?.name);
  }
  for (const { configMap, projected } of spec.volumes ?? []) {
    yield* named(configMap?.name);
    for (const { configMap } of projected?.sources ?? []) yield* named(configMap?.name);
  }
}

/** Reports whether the Pod's spec names claims of devices, by themselves or by templates. */
export function hasResourceClaims({ spec }: Pod): boolean {
  return (spec.resourceClaims ?? []).length > 0;
}

/**
 * Yields a Pod's ResourceClaims: named in its spec, or created from a template and recorded in its status.
 */
export function* resourceClaimNames({ spec, status }: Pod): Generator<string> {
  const { resourceClaimStatuses: made = [], extendedResourceClaimStatus: extended } = status;
  const claims = new Map(made.map((one) => [one.name, one.resourceClaimName]));
  for (const { name, resourceClaimName, resourceClaimTemplateName } of spec.resourceClaims ?? []) {
    if (resourceClaimName !== undefined) yield* named(resourceClaimName);
    else if (resourceClaimTemplateName !== undefined) yield* named(claims.get(name));
  }
  yield* named(extended?.resourceClaimName);
}

function allContainers({ containers, initContainers = [], ephemeralContainers = [] }: Spec) {
  return [...containers, ...initContainers, ...ephemeralContainers];
}

function secretOf({
  azureFile,
  cephfs,
  cinder,
  csi,
  flexVolume,
  iscsi,
  rbd,
  scaleIO,
  secret,
  storageos,
}: Volume): string | undefined {
  if (secret !== undefined) return secret.secretName;
  if (azureFile !== undefined) return azureFile.secretName;
  if (csi !== undefined) return csi.nodePublishSecretRef?.name;
  return (cephfs ?? cinder ?? flexVolume ?? iscsi ?? rbd ?? scaleIO ?? storageos)?.secretRef?.name;
}

function* named(name: string | undefined): Generator<string> {
  if (name !== undefined && name !== "") yield name;
}
