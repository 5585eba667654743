import type { PersistentVolume } from "../../api/core/persistent-volume/schema.ts";

/** A namespaced object. */
interface Place {
  readonly namespace: string;
  readonly name: string;
}

/**
 * Yields the Secrets that a node needs to mount a PersistentVolume (upstream
 * `api/v1/persistentvolume.VisitPVSecretNames`), without those that only a volume's controller needs.
 */
export function* volumeSecrets({ spec }: PersistentVolume): Generator<Place> {
  const { azureFile, cephfs, cinder, csi, flexVolume, iscsi, rbd, scaleIO, storageos } = spec;
  const claimNamespace = spec.claimRef?.namespace ?? "";
  const refer = (name = "", namespace = claimNamespace): Place[] =>
    name === "" ? [] : [{ namespace: namespace === "" ? claimNamespace : namespace, name }];
  const referExactly = (name = "", namespace = ""): Place[] => (name === "" ? [] : [{ namespace, name }]);
  if (azureFile !== undefined) yield* refer(azureFile.secretName, azureFile.secretNamespace);
  const local = (cephfs ?? flexVolume ?? iscsi ?? rbd ?? scaleIO)?.secretRef;
  yield* refer(local?.name, local?.namespace);
  const exact = (cinder ?? storageos)?.secretRef;
  yield* referExactly(exact?.name, exact?.namespace);
  for (const one of [csi?.nodePublishSecretRef, csi?.nodeStageSecretRef, csi?.nodeExpandSecretRef])
    yield* referExactly(one?.name, one?.namespace);
}
