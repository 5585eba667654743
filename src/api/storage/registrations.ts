import { type Registration, serve } from "../../meta/strategy.ts";
import { plainColumns } from "../printing.ts";
import { csiDrivers } from "./csi-driver/schema.ts";
import { csiDriverStrategy } from "./csi-driver/strategy.ts";
import { csiNodeColumns } from "./csi-node/printer.ts";
import { csiNodes } from "./csi-node/schema.ts";
import { validateCSINode, validateCSINodeUpdate } from "./csi-node/validation.ts";
import { csiStorageCapacities } from "./csi-storage-capacity/schema.ts";
import {
  validateCSIStorageCapacity,
  validateCSIStorageCapacityUpdate,
} from "./csi-storage-capacity/validation.ts";
import { storageCapacityWarnings } from "./csi-storage-capacity/warnings.ts";
import { storageClassColumns } from "./storage-class/printer.ts";
import { storageClasses } from "./storage-class/schema.ts";
import { validateStorageClass, validateStorageClassUpdate } from "./storage-class/validation.ts";
import { storageClassWarnings } from "./storage-class/warnings.ts";
import { volumeAttachments } from "./volume-attachment/schema.ts";
import { volumeAttachmentStrategy } from "./volume-attachment/strategy.ts";
import { volumeAttributesClassColumns } from "./volume-attributes-class/printer.ts";
import { volumeAttributesClasses } from "./volume-attributes-class/schema.ts";
import {
  validateVolumeAttributesClass,
  validateVolumeAttributesClassUpdate,
} from "./volume-attributes-class/validation.ts";

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
