import {
  byteLength,
  type FieldError,
  FieldPath,
  forbiddenField,
  isDns1123Subdomain,
  requiredField,
  tooLongField,
} from '@coracle/apimachinery';
import { checkInlineVolumeSpec } from '../../core/v1/persistent-volume.validation.js';
import type { VolumeAttachment, VolumeAttachmentSource, VolumeError } from '../../generated/types/storage-v1.js';
import { checkDriverName } from '../../validation/driver-name.js';
import { checkImmutable, checkNonNegative, checkValue } from '../../validation/field-checks.js';
import { goValue } from '../../validation/go-value.js';

const specPath = FieldPath.of('spec');
const statusPath = FieldPath.of('status');
const maxMetadata = 256 * 1024;
const maxErrorMessage = 1024;

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

export function validateVolumeAttachmentStatusUpdate({ status }: VolumeAttachment): FieldError[] {
  const { attachmentMetadata = {}, attachError, detachError } = status ?? {};
  const size = Object.entries(attachmentMetadata).reduce((sum, pair) => sum + byteLength(pair.join('')), 0);
  return [
    ...(size > maxMetadata ? [tooLongField(statusPath.child('attachmentMetadata'), maxMetadata)] : []),
    ...checkError(statusPath.child('attachError'), attachError),
    ...checkError(statusPath.child('detachError'), detachError),
  ];
}

function checkError(path: FieldPath, { message = '', errorCode }: VolumeError = {}): FieldError[] {
  return [
    ...(byteLength(message) > maxErrorMessage ? [tooLongField(path.child('message'), maxErrorMessage)] : []),
    ...checkNonNegative(path.child('errorCode'), errorCode),
  ];
}
