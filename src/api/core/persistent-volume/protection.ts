/** The finalizer of volumes that may be bound to a claim. */
export const volumeProtection = "kubernetes.io/pv-protection";

/** The finalizer of claims that Pods may use. */
export const claimProtection = "kubernetes.io/pvc-protection";

/** The finalizer of VolumeAttributesClasses that volumes and claims may use. */
export const attributesClassProtection = "kubernetes.io/vac-protection";
