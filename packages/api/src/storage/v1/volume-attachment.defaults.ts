import { setPersistentVolumeSpecDefaults } from '../../core/v1/persistent-volume.defaults.js';
import type { VolumeAttachment } from '../../generated/types/storage-v1.js';

export function setVolumeAttachmentDefaults({ spec }: VolumeAttachment): void {
  if (spec?.source?.inlineVolumeSpec) setPersistentVolumeSpecDefaults(spec.source.inlineVolumeSpec);
}
