import {
  byteLength,
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidField,
  isConfigMapKey,
  tooLongField,
} from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import type { ConfigMap } from '../../generated/types/core-v1.js';
import { checkValue, decodedLength, wholeObject } from '../../validation/field-checks.js';

/** Config maps and secrets hold at most this much, so that etcd and watchers can carry them. */
export const maxDataBytes = 1024 * 1024;

export const immutableWhenSet = 'field is immutable when `immutable` is set';

export function validateConfigMap(configMap: ConfigMap): FieldError[] {
  const { data = {}, binaryData = {} } = configMap;
  const errors: FieldError[] = [];
  for (const key of Object.keys(data)) {
    const path = FieldPath.of('data').key(key);
    errors.push(...checkValue(path, key, isConfigMapKey));
    if (Object.hasOwn(binaryData, key)) errors.push(invalidField(path, key, 'duplicate of key present in binaryData'));
  }
  for (const key of Object.keys(binaryData)) {
    errors.push(...checkValue(FieldPath.of('binaryData').key(key), key, isConfigMapKey));
  }
  if (sizeOf(data, binaryData) > maxDataBytes) errors.push(tooLongField(wholeObject, maxDataBytes));
  return errors;
}

export function validateConfigMapUpdate(configMap: ConfigMap, previous: ConfigMap): FieldError[] {
  const errors: FieldError[] = [];
  if (previous.immutable) {
    if (!configMap.immutable) errors.push(forbiddenField('immutable', immutableWhenSet));
    if (!deepEqual(configMap.data, previous.data)) errors.push(forbiddenField('data', immutableWhenSet));
    if (!deepEqual(configMap.binaryData, previous.binaryData)) {
      errors.push(forbiddenField('binaryData', immutableWhenSet));
    }
  }
  return [...errors, ...validateConfigMap(configMap)];
}

function sizeOf(data: Readonly<Record<string, string>>, binaryData: Readonly<Record<string, string>>): number {
  const text = Object.values(data).reduce((sum, value) => sum + byteLength(value), 0);
  return Object.values(binaryData).reduce((sum, value) => sum + decodedLength(value), text);
}
