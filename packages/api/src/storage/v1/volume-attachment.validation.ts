import { type FieldError, FieldPath, forbiddenField, isDns1123Subdomain, requiredField } from '@coracle/apimachinery';
import { checkInlineVolumeSpec } from '../../core/v1/persistent-volume.validation.js';
import type { VolumeAttachment, VolumeAttachmentSource } from '../../generated/types/storage-v1.js';
import { checkDriverName } from '../../validation/driver-name.js';
import { checkImmutable, checkValue } from '../../validation/field-checks.js';
import { goValue } from '../../validation/go-value.js';

const specPath = FieldPath.of('spec');

export function validateVolumeAttachment({ spec }: VolumeAttachment): FieldError[] {
  const { persistentVolumeName } = spec.source ?? {};
  return [
    ...checkDriverName(specPath.child('attacher'), spec.attacher),
    ...checkSource(specPath.child('source'), spec.source ?? {}),
    ...checkValue(specPath.child('nodeName'), spec.nodeName ?? '', isDns1123Subdomain),
    ...(persistentVolumeName
      ? checkValue(specPath.child('source', 'persistentVolumeName'), persistentVolumeName, isDns1123Subdomain)
      : []),
  ];
}

function checkSource(path: FieldPath, source: VolumeAttachmentSource): FieldError[] {
  const { inlineVolumeSpec, persistentVolumeName } = source;
  const rule = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  if (!inlineVolumeSpec && persistentVolumeName === undefined) return [requiredField(path, rule)];
  if (inlineVolumeSpec && persistentVolumeName !== undefined) return [forbiddenField(path, rule)];
  if (inlineVolumeSpec) return checkInlineVolumeSpec(path.child('inlineVolumeSpec'), inlineVolumeSpec);
  if (persistentVolumeName) return [];
  return [requiredField(path.child('persistentVolumeName'), 'must specify non empty persistentVolumeName')];
}

export function validateVolumeAttachmentUpdate(attachment: VolumeAttachment, previous: VolumeAttachment): FieldError[] {
  const shown = goValue('storage-v1/VolumeAttachmentSpec', attachment.spec);
  return [...validateVolumeAttachment(attachment), ...checkImmutable(specPath, attachment.spec, previous.spec, shown)];
}
