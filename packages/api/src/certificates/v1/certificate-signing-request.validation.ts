import {
  duplicateField,
  type FieldError,
  FieldPath,
  fromBase64,
  invalidField,
  notSupportedField,
  requiredField,
} from '@coracle/apimachinery';
import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
} from '../../generated/types/certificates-v1.js';
import { readCertificateRequest } from './read-request.js';
import { checkSignerName } from './signer-name.js';

const specPath = FieldPath.of('spec');
const minExpirationSeconds = 600;

const keyUsages: readonly string[] = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];

export function validateCertificateSigningRequest({ spec, status }: CertificateSigningRequest): FieldError[] {
  const seconds = spec?.expirationSeconds;
  const tooShort = seconds !== undefined && seconds < minExpirationSeconds;
  const detail = 'may not specify a duration less than 600 seconds (10 minutes)';
  return [
    ...checkRequest(spec?.request),
    ...checkUsages(spec?.usages ?? []),
    ...checkSignerName(specPath.child('signerName'), spec?.signerName),
    ...(spec?.signerName === 'kubernetes.io/legacy-unknown'
      ? [
          invalidField(
            specPath.child('signerName'),
            spec.signerName,
            'the legacy signerName is not allowed via this API version',
          ),
        ]
      : []),
    ...(tooShort ? [invalidField(specPath.child('expirationSeconds'), seconds, detail)] : []),
    ...checkConditions(status?.conditions ?? []),
  ];
}

/** The request itself never changes; the strategy sees to that. */
export function validateCertificateSigningRequestUpdate(request: CertificateSigningRequest): FieldError[] {
  return checkConditions(request.status?.conditions ?? []);
}

function checkRequest(request: string | undefined): FieldError[] {
  const bytes = fromBase64(request ?? '') ?? new Uint8Array();
  const pem = new TextDecoder().decode(bytes);
  const type = /-----BEGIN ([^-]+)-----[\s\S]*?-----END \1-----/.exec(pem)?.[1];
  const refuse = (detail: string) => [invalidField(specPath.child('request'), request || null, detail)];
  if (type !== 'CERTIFICATE REQUEST') return refuse('PEM block type must be CERTIFICATE REQUEST');
  return readCertificateRequest(request) ? [] : refuse('asn1: syntax error: data truncated');
}

function checkUsages(usages: readonly string[]): FieldError[] {
  const path = specPath.child('usages');
  if (usages.length === 0) return [requiredField(path)];
  return usages.flatMap((usage, index) => [
    ...(keyUsages.includes(usage) ? [] : [notSupportedField(path.index(index), usage, keyUsages)]),
    ...(usages.indexOf(usage) < index ? [duplicateField(path.index(index), usage)] : []),
  ]);
}

function checkConditions(conditions: readonly CertificateSigningRequestCondition[]): FieldError[] {
  const path = FieldPath.of('status', 'conditions');
  const types = conditions.map(({ type }) => type);
  return conditions.flatMap(({ type, status }, index) => {
    const at = path.index(index);
    const errors: FieldError[] = [];
    if (type === '') errors.push(requiredField(at.child('type')));
    if (status === '') errors.push(requiredField(at.child('status')));
    else if ((type === 'Approved' || type === 'Denied' || type === 'Failed') && status !== 'True') {
      errors.push(notSupportedField(at.child('status'), status, ['True']));
    }
    const opposite = type === 'Approved' ? 'Denied' : type === 'Denied' ? 'Approved' : undefined;
    if (opposite !== undefined && types.includes(opposite)) {
      const detail = 'Approved and Denied conditions are mutually exclusive';
      errors.push(invalidField(at.child('type'), type, detail));
    }
    if (types.indexOf(type) < index) errors.push(duplicateField(at.child('type'), type));
    return errors;
  });
}
