import {
  byteLength,
  type FieldError,
  FieldPath,
  fromBase64,
  invalidField,
  isDns1123Subdomain,
  requiredField,
  tooLongField,
} from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import type { PodCertificateRequest, PodCertificateRequestSpec } from '../../generated/types/certificates-v1beta1.js';
import { checkImmutable, checkRequiredValue } from '../../validation/field-checks.js';
import { derElements } from '../v1/der-reader.js';
import { checkExpiration, checkUserAnnotations } from '../v1/pod-certificate-checks.js';
import { type PublicKey, readPublicKey } from '../v1/public-key.js';
import { requestedKey } from '../v1/read-request.js';
import { checkSignerName } from '../v1/signer-name.js';

const specPath = FieldPath.of('spec');
const maxUidBytes = 128;
const maxKeyBytes = 10 * 1024;

/** A kubelet requests a certificate of a pod, with a key that the kubelet has made. */
export function validatePodCertificateRequest({ spec }: PodCertificateRequest): FieldError[] {
  const { signerName, maxExpirationSeconds, unverifiedUserAnnotations = {} } = spec;
  const expiration = specPath.child('maxExpirationSeconds');
  return [
    ...checkSignerName(specPath.child('signerName'), signerName),
    ...checkIdentity('pod', spec.podName, spec.podUID),
    ...checkIdentity('serviceAccount', spec.serviceAccountName, spec.serviceAccountUID),
    ...checkIdentity('node', spec.nodeName, spec.nodeUID),
    ...(maxExpirationSeconds === undefined
      ? [requiredField(expiration, 'must be set')]
      : checkExpiration(expiration, maxExpirationSeconds, signerName)),
    ...checkUserAnnotations(specPath.child('unverifiedUserAnnotations'), unverifiedUserAnnotations),
    ...checkKey(spec),
  ];
}

/** A signer may have seen what was requested. */
export function validatePodCertificateRequestUpdate(
  { spec }: PodCertificateRequest,
  previous: PodCertificateRequest,
): FieldError[] {
  return deepEqual(spec, previous.spec) ? [] : checkImmutable(specPath, spec, previous.spec, spec);
}

function checkIdentity(what: string, name: string | undefined, uid: string | undefined): FieldError[] {
  const path = specPath.child(`${what}UID`);
  return [
    ...checkRequiredValue(specPath.child(`${what}Name`), name, isDns1123Subdomain),
    ...(uid ? [] : [requiredField(path, 'must not be empty')]),
    ...(byteLength(uid ?? '') > maxUidBytes ? [tooLongField(path, maxUidBytes)] : []),
  ];
}

const keyFields = ['stubPKCS10Request', 'pkixPublicKey', 'proofOfPossession'] as const;

function checkKey(spec: PodCertificateRequestSpec): FieldError[] {
  const setFields = keyFields.filter((field) => spec[field]);
  const isRequest = setFields.length === 1 && setFields[0] === 'stubPKCS10Request';
  const isPair = setFields.length === 2 && setFields[0] === 'pkixPublicKey';
  if (!isRequest && !isPair)
    return [
      invalidField(
        specPath,
        '<value omitted>',
        'exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set',
      ),
    ];
  const tooLong = setFields.filter((field) => (fromBase64(spec[field] ?? '')?.length ?? 0) > maxKeyBytes);
  if (tooLong.length > 0) return tooLong.map((field) => tooLongField(specPath.child(field), maxKeyBytes));
  const path = specPath.child(isRequest ? 'stubPKCS10Request' : 'pkixPublicKey');
  const key = keyOf(spec);
  const refuse = (detail: string) => [invalidField(path, '<value omitted>', detail)];
  if (!key) return refuse(`must be a valid ${isRequest ? 'PKCS#10 CSR' : 'PKIX-serialized public key'}`);
  return key.type === undefined ? refuse(key.problem ?? 'unknown public key type') : [];
}

/** The key for which a certificate is requested; `undefined` if it cannot be read. */
export function keyOf({ stubPKCS10Request, pkixPublicKey }: PodCertificateRequestSpec): PublicKey | undefined {
  if (stubPKCS10Request) return requestedKey(fromBase64(stubPKCS10Request) ?? new Uint8Array());
  try {
    return readPublicKey(derElements(fromBase64(pkixPublicKey ?? '') ?? new Uint8Array())[0]);
  } catch {
    return undefined;
  }
}
