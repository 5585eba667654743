import { type Registration, serve, type Strategy } from "../../meta/strategy.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { plainColumns } from "../printing.ts";
import { keepMetadata } from "../status-metadata.ts";
import {
  csiDriverColumns,
  csiNodeColumns,
  storageClassColumns,
  volumeAttachmentColumns,
  volumeAttributesClassColumns,
} from "./printers.ts";
import { type CSIDriver, csiDrivers } from "./v1/csi-driver.ts";
import { csiNodes } from "./v1/csi-node.ts";
import { csiStorageCapacities } from "./v1/csi-storage-capacity.ts";
import { storageClasses } from "./v1/storage-class.ts";
import { type VolumeAttachment, volumeAttachments } from "./v1/volume-attachment.ts";
import { volumeAttributesClasses } from "./v1/volume-attributes-class.ts";
import { validateVolumeAttachment, validateVolumeAttachmentUpdate } from "./validation-attachment.ts";
import {
  validateStorageClass,
  validateStorageClassUpdate,
  validateVolumeAttributesClass,
  validateVolumeAttributesClassUpdate,
} from "./validation-classes.ts";
import {
  validateCSIDriver,
  validateCSIDriverUpdate,
  validateCSINode,
  validateCSINodeUpdate,
  validateCSIStorageCapacity,
  validateCSIStorageCapacityUpdate,
} from "./validation-drivers.ts";
import { driverWarnings, storageCapacityWarnings, storageClassWarnings } from "./warnings.ts";

const csiDriverStrategy: Strategy<CSIDriver> = {
  // Behind the gate VolumeLimitScaling, which is off.
  prepareForCreate: ({ spec }) => void delete spec.preventPodSchedulingIfMissing,
  prepareForUpdate({ metadata, spec }, old) {
    if (old.spec.preventPodSchedulingIfMissing === undefined) delete spec.preventPodSchedulingIfMissing;
    // Counted from nothing: a new driver has no generation.
    if (!deepEqual(spec, old.spec)) metadata.generation = (old.metadata.generation ?? 0) + 1;
  },
  validate: validateCSIDriver,
  validateUpdate: validateCSIDriverUpdate,
  warnings: driverWarnings,
  allowUnconditionalUpdate: false,
  returnDeletedObject: true,
  columns: csiDriverColumns,
};

const volumeAttachmentStrategy: Strategy<VolumeAttachment> = {
  prepareForUpdate(draft, old, { subresource }) {
    if (subresource === "status") keepMetadata(draft.metadata, old.metadata);
  },
  validate: validateVolumeAttachment,
  validateUpdate: validateVolumeAttachmentUpdate,
  validateStatusUpdate: validateVolumeAttachment,
  allowUnconditionalUpdate: false,
  returnDeletedObject: true,
  columns: volumeAttachmentColumns,
};

/** The group `storage.k8s.io`. */
export const storageRegistrations: readonly Registration[] = [
  serve(csiDrivers, csiDriverStrategy),
  serve(csiNodes, {
    validate: validateCSINode,
    validateUpdate: validateCSINodeUpdate,
    allowUnconditionalUpdate: false,
    returnDeletedObject: true,
    columns: csiNodeColumns,
  }),
  serve(csiStorageCapacities, {
    validate: validateCSIStorageCapacity,
    validateUpdate: validateCSIStorageCapacityUpdate,
    warnings: storageCapacityWarnings,
    allowUnconditionalUpdate: false,
    columns: plainColumns,
  }),
  serve(storageClasses, {
    validate: validateStorageClass,
    validateUpdate: validateStorageClassUpdate,
    warnings: storageClassWarnings,
    returnDeletedObject: true,
    columns: storageClassColumns,
  }),
  serve(volumeAttachments, volumeAttachmentStrategy),
  serve(volumeAttributesClasses, {
    validateCreate: validateVolumeAttributesClass,
    validateUpdate: validateVolumeAttributesClassUpdate,
    returnDeletedObject: true,
    columns: volumeAttributesClassColumns,
  }),
];
