import {
  byteLength,
  type FieldError,
  type FieldPath,
  invalidField,
  isQualifiedName,
  requiredField,
  tooLongField,
} from '@coracle/apimachinery';
import { checkValue } from '../../validation/field-checks.js';

const day = 24 * 60 * 60;
const leastSeconds = 3600;

/** Certificates of Kubernetes itself last a day at most. */
export function checkExpiration(path: FieldPath, seconds: number | undefined, signerName = ''): FieldError[] {
  if (seconds === undefined) return [];
  const [domain = ''] = signerName.split('/');
  const mostSeconds = /(^|\.)kubernetes\.io$/.test(domain) ? day : 91 * day;
  const refuse = (bound: string) => [invalidField(path, seconds, `if provided, maxExpirationSeconds must be ${bound}`)];
  if (seconds < leastSeconds) return refuse(`>= ${leastSeconds}`);
  return seconds > mostSeconds ? refuse(`<= ${mostSeconds}`) : [];
}

const maxAnnotationBytes = 256 * 1024;

/** The pod's annotations for the signer, under keys with a domain. */
export function checkUserAnnotations(path: FieldPath, annotations: Readonly<Record<string, string>>): FieldError[] {
  const bytes = Object.entries(annotations).reduce((sum, entry) => sum + byteLength(entry.join('')), 0);
  return [
    ...Object.keys(annotations).flatMap((key) => checkDomainKey(path, key.toLowerCase())),
    ...(bytes > maxAnnotationBytes ? [tooLongField(path, maxAnnotationBytes)] : []),
  ];
}

function checkDomainKey(path: FieldPath, key: string): FieldError[] {
  if (key === '') return [requiredField(path)];
  const errors = checkValue(path, key, isQualifiedName);
  if (errors.length > 0 || key.includes('/')) return errors;
  return [invalidField(path, key, 'must be a domain-prefixed key (such as "acme.io/foo")')];
}
