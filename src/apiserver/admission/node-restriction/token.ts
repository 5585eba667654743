import type { TokenRequest } from "../../../api/authentication/v1.ts";
import { persistentVolumeClaims } from "../../../api/core/persistent-volume-claim/schema.ts";
import { type PersistentVolume, persistentVolumes } from "../../../api/core/persistent-volume/schema.ts";
import { type Pod, pods } from "../../../api/core/pod/schema.ts";
import type { Volume } from "../../../api/core/volume/schema.ts";
import { csiDrivers } from "../../../api/storage/csi-driver/schema.ts";
import { errors } from "../../../meta/status.ts";
import { claimNameOf } from "../../../api/core/pod/claims.ts";
import type { AdmissionServices } from "../admission-services.ts";
import type { Attributes } from "../plugin.ts";

/**
 * Allows a node to request tokens bound to the Pods that run on it, for the audiences that these Pods use.
 */
export function refuseToken(
  attributes: Attributes,
  node: string,
  services: AdmissionServices,
): string | undefined {
  const { operation, subresource, object, namespace } = attributes;
  if (operation !== "CREATE" || subresource !== "token") return undefined;
  // Safe: the subresource decodes a TokenRequest.
  const { spec } = object as TokenRequest;
  const { apiVersion, kind, name = "", uid = "" } = spec.boundObjectRef ?? {};
  if (apiVersion !== "v1" || kind !== "Pod" || name === "") return "node requested token not bound to a pod";
  if (uid === "") return "node requested token with a pod binding without a uid";
  const pod = services.reader.get(pods, namespace, name);
  if (pod === undefined) throw errors.notFound({ group: "", resource: "pod" }, name);
  if (pod.metadata.uid !== uid)
    return `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  if (pod.spec.nodeName !== node) return "node requested token bound to a pod scheduled on a different node";
  if (spec.audiences.length > 1) return "node may only request 0 or 1 audiences";
  return refuseAudience(attributes, pod, spec.audiences[0] ?? "", services);
}

function refuseAudience(
  { user, namespace, name }: Attributes,
  pod: Pod,
  audience: string,
  services: AdmissionServices,
): string | undefined {
  const problems: string[] = [];
  for (const volume of pod.spec.volumes ?? []) {
    const found = asksFor(volume, audience) || driverAsksFor(pod, volume, audience, services);
    if (found === true) return undefined;
    if (found !== false) problems.push(found.problem);
  }
  const quoted = JSON.stringify(audience);
  if (problems.length > 0) {
    const why = problems.length === 1 ? problems.join() : `[${[...new Set(problems)].join(", ")}]`;
    return `error validating audience ${quoted}: ${why}`;
  }
  const access = { group: "", version: "v1", namespace, resource: audience, subresource: "", name };
  const verb = "request-serviceaccounts-token-audience";
  const target = { type: "resource", ...access } as const;
  if (services.authorizer.authorize({ user, verb, target }).allowed) return undefined;
  return `audience ${quoted} not found in pod spec volume, ${user.name} is not authorized to request tokens for this audience`;
}

function asksFor({ projected }: Volume, audience: string): boolean {
  const sources = projected?.sources ?? [];
  return sources.some(
    ({ serviceAccountToken: token }) => token !== undefined && (token.audience ?? "") === audience,
  );
}

/** An object on the way to the driver is missing. */
interface Unknown {
  readonly problem: string;
}

/** A CSI driver gets tokens of the Pods that use its volumes: inline, or by claim and PersistentVolume. */
function driverAsksFor(
  pod: Pod,
  volume: Volume,
  audience: string,
  services: AdmissionServices,
): boolean | Unknown {
  const driver = driverOf(pod, volume, services);
  if (driver === undefined) return false;
  if (typeof driver !== "string") return driver;
  const found = services.reader.get(csiDrivers, "", driver);
  if (found === undefined) return unknown("csidriver.storage.k8s.io", driver);
  return (found.spec.tokenRequests ?? []).some((one) => one.audience === audience);
}

function driverOf(pod: Pod, volume: Volume, services: AdmissionServices): string | undefined | Unknown {
  const { namespace = "" } = pod.metadata;
  const isClaim =
    volume.ephemeral?.volumeClaimTemplate !== undefined || volume.persistentVolumeClaim !== undefined;
  const claim = isClaim ? claimNameOf(pod, volume) : undefined;
  if (claim !== undefined) return driverOfClaim(namespace, claim, services);
  return volume.csi?.driver ?? migratedDriver(volume);
}

function driverOfClaim(
  namespace: string,
  name: string,
  services: AdmissionServices,
): string | undefined | Unknown {
  const claim = services.reader.get(persistentVolumeClaims, namespace, name);
  if (claim === undefined) return unknown("persistentvolumeclaim", name);
  const { volumeName = "" } = claim.spec;
  const volume = services.reader.get(persistentVolumes, "", volumeName);
  if (volume === undefined) return unknown("persistentvolume", volumeName);
  return volume.spec.csi?.driver ?? migratedDriver(volume.spec);
}

const unknown = (resource: string, name: string): Unknown => ({
  problem: `${resource} ${JSON.stringify(name)} not found`,
});

/** The CSI drivers that took over from volume plugins within Kubernetes (upstream `csi-translation-lib`). */
function migratedDriver(source: Partial<PersistentVolume["spec"]> | Volume): string | undefined {
  if (source.awsElasticBlockStore !== undefined) return "ebs.csi.aws.com";
  if (source.azureDisk !== undefined) return "disk.csi.azure.com";
  if (source.azureFile !== undefined) return "file.csi.azure.com";
  if (source.cinder !== undefined) return "cinder.csi.openstack.org";
  if (source.gcePersistentDisk !== undefined) return "pd.csi.storage.gke.io";
  if (source.portworxVolume !== undefined) return "pxd.portworx.com";
  return source.vsphereVolume === undefined ? undefined : "csi.vsphere.vmware.com";
}
