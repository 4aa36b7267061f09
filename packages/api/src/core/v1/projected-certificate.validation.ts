import {
  byteLength,
  type FieldError,
  type FieldPath,
  invalidField,
  isDns1123Subdomain,
  isQualifiedName,
  requiredField,
  tooLongField,
  validateLabelSelector,
} from '@coracle/apimachinery';
import { checkSignerName } from '../../certificates/v1/signer-name.js';
import type { ClusterTrustBundleProjection, PodCertificateProjection } from '../../generated/types/core-v1.js';
import { checkSupported, checkValue } from '../../validation/field-checks.js';
import { toInternalForm } from '../../validation/internal-form.js';
import { podTypes } from './pod.internal-form.js';
import { validateLocalPath } from './volume-path.validation.js';

/** Says whether another source of the volume has the path already. */
export type ClaimPath = (target: string) => FieldError[];

/** Those whom the pod may trust: one bundle by its name, or all of a signer. */
export function validateTrustBundle(
  path: FieldPath,
  bundle: ClusterTrustBundleProjection,
  claimPath: ClaimPath,
): FieldError[] {
  const target = bundle.path ?? '';
  return [
    ...validateWhichBundle(path, bundle),
    ...(target === '' ? [requiredField(path.child('path'))] : []),
    ...validateLocalPath(path.child('path'), target),
    ...claimPath(target),
  ];
}

function validateWhichBundle(path: FieldPath, bundle: ClusterTrustBundleProjection): FieldError[] {
  const { name, signerName, labelSelector } = bundle;
  if (name !== undefined && signerName !== undefined) {
    const shown = toInternalForm(bundle, 'TrustBundleProjection', podTypes);
    return [invalidField(path, shown, 'only one of name and signerName may be used')];
  }
  if (name !== undefined) {
    const errors = validateBundleName(path.child('name'), name);
    if (!labelSelector) return errors;
    const shown = toInternalForm(labelSelector, 'LabelSelector', podTypes);
    const detail = 'labelSelector must be unset if name is specified';
    return [...errors, invalidField(path.child('labelSelector'), shown, detail)];
  }
  if (signerName === undefined) return [requiredField(path, 'either name or signerName must be specified')];
  const signer = path.child('signerName');
  return [
    ...(signerName === '' ? [requiredField(signer, 'must be a valid signer name')] : []),
    ...checkSignerName(signer, signerName),
    ...validateLabelSelector(labelSelector, path.child('labelSelector')),
  ];
}

/** A bundle of a signer is called `domain:signer:name`; others have no colon. */
function validateBundleName(path: FieldPath, name: string): FieldError[] {
  const errors = name === '' ? [requiredField(path, 'must be a valid object name')] : [];
  const problems = bundleNameProblems(name);
  return [...errors, ...problems.map((one) => invalidField(path, name, `not a valid clustertrustbundlename: ${one}`))];
}

function bundleNameProblems(name: string): string[] {
  const colon = name.lastIndexOf(':');
  const prefix = name.slice(0, colon + 1);
  if (!prefix.includes('/')) return isDns1123Subdomain(name.slice(colon + 1));
  const signerName = name.slice(0, colon).replaceAll(':', '/');
  const needed = `${signerName.replaceAll('/', ':')}:`;
  return [`ClusterTrustBundle for signerName ${signerName} must be named with prefix ${needed}`];
}

const keyTypes = ['RSA3072', 'RSA4096', 'ECDSAP256', 'ECDSAP384', 'ECDSAP521', 'ED25519'];
const day = 24 * 60 * 60;
const leastSeconds = 3600;
const certificatePaths = ['credentialBundlePath', 'keyPath', 'certificateChainPath'] as const;

/** A key of the pod's own, and a certificate that a signer gives for it. */
export function validatePodCertificate(
  path: FieldPath,
  certificate: PodCertificateProjection,
  claimPath: ClaimPath,
): FieldError[] {
  const { signerName, userAnnotations, keyType, maxExpirationSeconds } = certificate;
  const setPaths = certificatePaths.filter((field) => certificate[field]);
  const detail = 'specify at least one of credentialBundlePath, keyPath, and certificateChainPath';
  return [
    ...checkSignerName(path.child('signerName'), signerName),
    ...validateUserAnnotations(path.child('userAnnotations'), userAnnotations ?? {}),
    ...checkSupported(path.child('keyType'), keyType ?? '', keyTypes),
    ...validateExpiration(path.child('maxExpirationSeconds'), maxExpirationSeconds, signerName),
    ...setPaths.flatMap((field) => {
      const target = certificate[field] ?? '';
      return [...validateLocalPath(path.child(field), target), ...claimPath(target)];
    }),
    ...(setPaths.length === 0 ? [requiredField(path, detail)] : []),
  ];
}

/** Certificates of Kubernetes itself last a day at most. */
function validateExpiration(path: FieldPath, seconds: number | undefined, signerName = ''): FieldError[] {
  if (seconds === undefined) return [];
  const [domain = ''] = signerName.split('/');
  const mostSeconds = /(^|\.)kubernetes\.io$/.test(domain) ? day : 91 * day;
  const refuse = (bound: string) => [invalidField(path, seconds, `if provided, maxExpirationSeconds must be ${bound}`)];
  if (seconds < leastSeconds) return refuse(`>= ${leastSeconds}`);
  return seconds > mostSeconds ? refuse(`<= ${mostSeconds}`) : [];
}

const maxAnnotationBytes = 256 * 1024;

/** What the pod tells the signer, under keys with a domain. */
function validateUserAnnotations(path: FieldPath, annotations: Readonly<Record<string, string>>): FieldError[] {
  const bytes = Object.entries(annotations).reduce((sum, entry) => sum + byteLength(entry.join('')), 0);
  return [
    ...Object.keys(annotations).flatMap((key) => validateDomainKey(path, key.toLowerCase())),
    ...(bytes > maxAnnotationBytes ? [tooLongField(path, maxAnnotationBytes)] : []),
  ];
}

function validateDomainKey(path: FieldPath, key: string): FieldError[] {
  if (key === '') return [requiredField(path)];
  const errors = checkValue(path, key, isQualifiedName);
  if (errors.length > 0 || key.includes('/')) return errors;
  return [invalidField(path, key, 'must be a domain-prefixed key (such as "acme.io/foo")')];
}
