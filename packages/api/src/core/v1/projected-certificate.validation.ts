import {
  type FieldError,
  type FieldPath,
  invalidField,
  isDns1123Subdomain,
  requiredField,
  validateLabelSelector,
} from '@coracle/apimachinery';
import { checkExpiration, checkUserAnnotations } from '../../certificates/v1/pod-certificate-checks.js';
import { checkSignerName } from '../../certificates/v1/signer-name.js';
import type { ClusterTrustBundleProjection, PodCertificateProjection } from '../../generated/types/core-v1.js';
import { checkSupported } from '../../validation/field-checks.js';
import { toInternalForm } from '../../validation/internal-form.js';
import { podTypes } from './pod.internal-form.js';
import { validateLocalPath } from './volume-path.validation.js';

/** Says whether another source of the volume has the path already. */
export type ClaimPath = (target: string) => FieldError[];

/** Trust anchors of the pod: one bundle by name, or all bundles of a signer. */
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
const certificatePaths = ['credentialBundlePath', 'keyPath', 'certificateChainPath'] as const;

/** A private key of the pod, and a certificate that a signer issues for it. */
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
    ...checkUserAnnotations(path.child('userAnnotations'), userAnnotations ?? {}),
    ...checkSupported(path.child('keyType'), keyType ?? '', keyTypes),
    ...checkExpiration(path.child('maxExpirationSeconds'), maxExpirationSeconds, signerName),
    ...setPaths.flatMap((field) => {
      const target = certificate[field] ?? '';
      return [...validateLocalPath(path.child(field), target), ...claimPath(target)];
    }),
    ...(setPaths.length === 0 ? [requiredField(path, detail)] : []),
  ];
}
