import {
  type PersistentVolumeClaim,
  persistentVolumeClaims,
} from "../../api/core/persistent-volume-claim/schema.ts";
import { type PersistentVolume, persistentVolumes } from "../../api/core/persistent-volume/schema.ts";
import { claimNameOf, notMadeFor } from "../../api/core/pod/claims.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import type { Volume } from "../../api/core/volume/schema.ts";
import { errorText } from "../../util/error-text.ts";
import { RuntimeError } from "../runtime.ts";
import type { SourceContext } from "./sources.ts";

/** The volume behind a Pod's claim. */
export interface ClaimedVolume {
  readonly claim: PersistentVolumeClaim;
  readonly volume: PersistentVolume;
  readonly readOnly: boolean;
  readonly mode: "Block" | "Filesystem";
}

const protectionFinalizer = "kubernetes.io/pvc-protection";

/**
 * Returns the PersistentVolume behind one of the Pod's volumes; undefined for a volume without a claim.
 * @throws RuntimeError with upstream's words (`desired_state_of_world_populator.go`)
 */
export async function claimedVolume(
  context: SourceContext,
  source: Volume,
): Promise<ClaimedVolume | undefined> {
  const { pod } = context;
  const name = claimNameOf(pod, source);
  if (name === undefined) return undefined;
  try {
    const [claim, volume] = await boundPair(context, name);
    if (source.ephemeral !== undefined) {
      const complaint = notMadeFor(pod, claim);
      if (complaint !== undefined) throw new Error(complaint);
    }
    const mode = volume.spec.volumeMode ?? "Filesystem";
    checkMode(pod, source.name, mode);
    return { claim, volume, mode, readOnly: source.persistentVolumeClaim?.readOnly ?? false };
  } catch (error) {
    const why = error instanceof ClaimError ? `error processing PVC ${pod.metadata.namespace}/${name}: ` : "";
    throw new RuntimeError(
      "CreateContainerConfigError",
      `Unable to attach or mount volumes: unmounted volumes=[${source.name}], unattached volumes=[], failed to process volumes=[${source.name}]: ${why}${errorText(error)}`,
      error,
    );
  }
}

/** The reason why a claim has no volume yet. */
class ClaimError extends Error {
  override readonly name = "ClaimError";
}

async function boundPair(
  { node, pod }: SourceContext,
  name: string,
): Promise<readonly [PersistentVolumeClaim, PersistentVolume]> {
  const claim = await node.client
    .of(persistentVolumeClaims, pod.metadata.namespace)
    .get(name)
    .catch(refused("failed to fetch PVC from API server"));
  checkClaim(claim);
  const { volumeName = "" } = claim.spec;
  const volume = await node.client
    .of(persistentVolumes)
    .get(volumeName)
    .catch(refused(`failed to fetch PV ${volumeName} from API server`));
  const { claimRef } = volume.spec;
  if (claimRef === undefined)
    throw new ClaimError(
      `found PV object ${volumeName} but it has a nil pv.Spec.ClaimRef indicating it is not yet bound to the claim`,
    );
  if (claimRef.uid !== claim.metadata.uid)
    throw new ClaimError(
      `found PV object ${volumeName} but its pv.Spec.ClaimRef.UID ${claimRef.uid} does not point to claim.UID ${claim.metadata.uid}`,
    );
  return [claim, volume];
}

function refused(what: string): (error: unknown) => never {
  return (error) => {
    throw new ClaimError(`${what}: ${errorText(error)}`, { cause: error });
  };
}

function checkClaim({ metadata, spec, status }: PersistentVolumeClaim): void {
  const isProtected = metadata.finalizers?.includes(protectionFinalizer) === true;
  if (metadata.deletionTimestamp !== undefined && !isProtected) throw new ClaimError("PVC is being deleted");
  if (status.phase !== "Bound") throw new ClaimError("PVC is not bound");
  if ((spec.volumeName ?? "") === "") throw new ClaimError("PVC has empty pvc.Spec.VolumeName");
}

/** @throws Error when a container uses the volume in the other mode */
function checkMode({ spec }: Pod, name: string, mode: ClaimedVolume["mode"]): void {
  const containers = [...(spec.initContainers ?? []), ...spec.containers];
  const uses = (field: "volumeMounts" | "volumeDevices") =>
    containers.some((container) => (container[field] ?? []).some((one) => one.name === name));
  const wrong = mode === "Block" ? "volumeMounts" : "volumeDevices";
  if (uses(wrong)) throw new Error(`volume ${name} has volumeMode ${mode}, but is specified in ${wrong}`);
}
