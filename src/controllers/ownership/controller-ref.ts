import type { KubeObject } from "../../meta/kind.ts";
import type { OwnerReference } from "../../meta/v1.ts";

/** Makes the reference that makes `owner` an object's managing controller. */
export function controllerRef({ apiVersion, kind, metadata }: KubeObject): OwnerReference {
  const { name = "", uid = "" } = metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** The reference to the object's managing controller. */
export function controllerRefOf({ metadata }: KubeObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

export function isControlledBy(object: KubeObject, owner: KubeObject): boolean {
  return controllerRefOf(object)?.uid === owner.metadata.uid;
}
