import {
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidField,
  isConfigMapKey,
  requiredField,
  tooLongField,
} from '@coracle/apimachinery';
import { deepEqual, isRecord, ownValue } from '@coracle/base';
import type { Secret } from '../../generated/types/core-v1.js';
import { checkImmutable, checkValue, decodedLength } from '../../validation/field-checks.js';
import { immutableWhenSet, maxDataBytes } from './config-map.validation.js';

const dataPath = FieldPath.of('data');

export function validateSecret(secret: Secret): FieldError[] {
  const data = secret.data ?? {};
  const errors = Object.keys(data).flatMap((key) => checkValue(dataPath.key(key), key, isConfigMapKey));
  const size = Object.values(data).reduce((sum, value) => sum + decodedLength(value), 0);
  if (size > maxDataBytes) errors.push(tooLongField(dataPath, maxDataBytes));
  return [...errors, ...(ownValue(checkByType, secret.type ?? '')?.(secret) ?? [])];
}

export function validateSecretUpdate(secret: Secret, previous: Secret): FieldError[] {
  const errors = checkImmutable(FieldPath.of('type'), secret.type, previous.type);
  if (previous.immutable) {
    if (!secret.immutable) errors.push(forbiddenField('immutable', immutableWhenSet));
    if (!deepEqual(secret.data, previous.data)) errors.push(forbiddenField('data', immutableWhenSet));
  }
  return [...errors, ...validateSecret(secret)];
}

/** The required keys of each well-known type. */
const checkByType: Readonly<Record<string, (secret: Secret) => FieldError[]>> = {
  'kubernetes.io/service-account-token': requireServiceAccountName,
  'kubernetes.io/dockercfg': (secret) => requireJson(secret, '.dockercfg'),
  'kubernetes.io/dockerconfigjson': (secret) => requireJson(secret, '.dockerconfigjson'),
  'kubernetes.io/basic-auth': requireUsernameOrPassword,
  'kubernetes.io/ssh-auth': (secret) =>
    secret.data?.['ssh-privatekey'] ? [] : [requiredField(dataPath.key('ssh-privatekey'))],
  'kubernetes.io/tls': (secret) =>
    ['tls.crt', 'tls.key']
      .filter((key) => secret.data?.[key] === undefined)
      .map((key) => requiredField(dataPath.key(key))),
};

function requireServiceAccountName(secret: Secret): FieldError[] {
  const annotation = 'kubernetes.io/service-account.name';
  if (secret.metadata.annotations?.[annotation]) return [];
  return [requiredField(FieldPath.of('metadata', 'annotations').key(annotation))];
}

function requireUsernameOrPassword({ data = {} }: Secret): FieldError[] {
  if (data['username'] !== undefined || data['password'] !== undefined) return [];
  return ['username', 'password'].map((key) => requiredField(dataPath.key(key)));
}

function requireJson({ data = {} }: Secret, key: string): FieldError[] {
  const value = data[key];
  if (value === undefined) return [requiredField(dataPath.key(key))];
  const problem = jsonObjectProblem(value);
  return problem === undefined ? [] : [invalidField(dataPath.key(key), '<secret contents redacted>', problem)];
}

/** Why base64 text is not a JSON object, with the message of upstream's decoder. */
function jsonObjectProblem(base64: string): string | undefined {
  const text = atob(base64);
  if (text.trim() === '') return 'unexpected end of JSON input';
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value) || value === null) return undefined;
    return `json: cannot unmarshal ${goJsonType(value)} into Go value of type map[string]interface {}`;
  } catch {
    const first = text.trim()[0] ?? '';
    return `invalid character '${first}' looking for beginning of value`;
  }
}

function goJsonType(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
