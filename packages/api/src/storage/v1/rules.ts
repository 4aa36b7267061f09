import type { KindRulesTable } from '../../kind-rules.js';
import { setCsiDriverDefaults } from './csi-driver.defaults.js';
import { csiDriverWarnings, validateCsiDriver, validateCsiDriverUpdate } from './csi-driver.validation.js';
import { validateCsiNode, validateCsiNodeUpdate } from './csi-node.validation.js';
import { validateCsiStorageCapacity, validateCsiStorageCapacityUpdate } from './csi-storage-capacity.validation.js';
import { setStorageClassDefaults } from './storage-class.defaults.js';
import { validateStorageClass, validateStorageClassUpdate } from './storage-class.validation.js';
import { setVolumeAttachmentDefaults } from './volume-attachment.defaults.js';
import {
  validateVolumeAttachment,
  validateVolumeAttachmentStatusUpdate,
  validateVolumeAttachmentUpdate,
} from './volume-attachment.validation.js';
import {
  validateVolumeAttributesClass,
  validateVolumeAttributesClassUpdate,
} from './volume-attributes-class.validation.js';

/** Kind → its defaults and validation. */
export const rules: KindRulesTable = {
  CSIDriver: {
    setDefaults: setCsiDriverDefaults,
    validate: validateCsiDriver,
    validateUpdate: validateCsiDriverUpdate,
    warnings: csiDriverWarnings,
  },
  CSINode: { validate: validateCsiNode, validateUpdate: validateCsiNodeUpdate },
  CSIStorageCapacity: { validate: validateCsiStorageCapacity, validateUpdate: validateCsiStorageCapacityUpdate },
  StorageClass: {
    setDefaults: setStorageClassDefaults,
    validate: validateStorageClass,
    validateUpdate: validateStorageClassUpdate,
  },
  VolumeAttachment: {
    setDefaults: setVolumeAttachmentDefaults,
    validate: validateVolumeAttachment,
    validateUpdate: validateVolumeAttachmentUpdate,
    validateStatusUpdate: validateVolumeAttachmentStatusUpdate,
  },
  VolumeAttributesClass: {
    validate: validateVolumeAttributesClass,
    validateUpdate: validateVolumeAttributesClassUpdate,
  },
};
