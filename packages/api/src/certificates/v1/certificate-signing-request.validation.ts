import {
  duplicateField,
  type FieldError,
  FieldPath,
  fromBase64,
  invalidField,
  requiredField,
  scoped,
} from '@coracle/apimachinery';
import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
} from '../../generated/types/certificates-v1.js';
import { checkItems, checkRequiredSupported, checkSupported } from '../../validation/field-checks.js';
import { derElements, tags, within } from './der-reader.js';
import { pemBlocks } from './pem-blocks.js';
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
    ...checkSigner(specPath.child('signerName'), spec?.signerName),
    ...(tooShort ? [invalidField(specPath.child('expirationSeconds'), seconds, detail)] : []),
    ...checkConditions(status?.conditions ?? []),
    ...checkCertificate(status?.certificate),
  ];
}

/** A certificate is looked at when it is issued, never again. */
export function validateCertificateSigningRequestUpdate(
  request: CertificateSigningRequest,
  previous: CertificateSigningRequest,
): FieldError[] {
  if (request.status?.certificate !== previous.status?.certificate) return validateCertificateSigningRequest(request);
  const { certificate: _same, ...status } = request.status ?? {};
  return validateCertificateSigningRequest({ ...request, status });
}

function checkSigner(path: FieldPath, signerName: string | undefined): FieldError[] {
  if (signerName !== 'kubernetes.io/legacy-unknown') return checkSignerName(path, signerName);
  const detail = 'the legacy signerName is not allowed via this API version';
  return scoped([invalidField(path, signerName, detail)], { newRule: 'the legacy signer' });
}

function checkRequest(request: string | undefined): FieldError[] {
  const bytes = fromBase64(request ?? '') ?? new Uint8Array();
  const type = pemBlocks(new TextDecoder().decode(bytes))[0]?.type;
  const refuse = (detail: string) => [invalidField(specPath.child('request'), request || null, detail)];
  if (type !== 'CERTIFICATE REQUEST') return refuse('PEM block type must be CERTIFICATE REQUEST');
  return readCertificateRequest(request) ? [] : refuse('asn1: syntax error: data truncated');
}

function checkUsages(usages: readonly string[]): FieldError[] {
  const path = specPath.child('usages');
  if (usages.length === 0) return [requiredField(path)];
  const unknown = usages.flatMap((usage, index) => checkSupported(path.index(index), usage, keyUsages));
  const repeated = usages.flatMap((usage, index) =>
    usages.indexOf(usage) < index ? [duplicateField(path.index(index), usage)] : [],
  );
  return [...scoped(unknown, { newRule: 'known usages' }), ...scoped(repeated, { newRule: 'usages named once' })];
}

const finalTypes: readonly string[] = ['Approved', 'Denied', 'Failed'];
const opposites: Readonly<Record<string, string>> = { Approved: 'Denied', Denied: 'Approved' };

function checkConditions(conditions: readonly CertificateSigningRequestCondition[]): FieldError[] {
  const types = conditions.map(({ type }) => type);
  return checkItems(FieldPath.of('status', 'conditions'), conditions, (at, { type = '', status }, index) => {
    const errors: FieldError[] = [];
    const before = types.slice(0, index);
    const field = at.child('type');
    if (type === '') errors.push(...scoped([requiredField(field)], { newRule: 'conditions with a type' }));
    const statuses = finalTypes.includes(type) ? ['True'] : ['False', 'True', 'Unknown'];
    errors.push(...checkRequiredSupported(at.child('status'), status, statuses));
    if (before.includes(opposites[type] ?? '-')) {
      const both = invalidField(field, type, 'Approved and Denied conditions are mutually exclusive');
      errors.push(...scoped([both], { newRule: 'one decision' }));
    }
    if (before.includes(type)) {
      errors.push(...scoped([duplicateField(field, type)], { newRule: 'conditions of different types' }));
    }
    return errors;
  });
}

function checkCertificate(certificate: string | undefined): FieldError[] {
  if (!certificate) return [];
  const problem = certificateProblem(new TextDecoder().decode(fromBase64(certificate) ?? new Uint8Array()));
  if (problem === undefined) return [];
  const error = invalidField('status.certificate', '<certificate data>', problem);
  return scoped([error], { newRule: 'certificates that can be read' });
}

/** The error message for a chain of certificates. */
function certificateProblem(pem: string): string | undefined {
  const blocks = pemBlocks(pem);
  if (blocks.length === 0) return 'must contain at least one CERTIFICATE PEM block';
  for (const { type, hasHeaders, content } of blocks) {
    if (type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`;
    if (hasHeaders) return 'no PEM block headers are permitted';
    if (!isCertificate(content)) return 'x509: malformed certificate';
  }
  return undefined;
}

/** A certificate has three parts: what is certified, the algorithm, and the signature. */
function isCertificate(der: Uint8Array): boolean {
  try {
    const [content, algorithm, signature] = within(derElements(der)[0], tags.sequence);
    return content?.tag === tags.sequence && algorithm?.tag === tags.sequence && signature?.tag === tags.bitString;
  } catch {
    return false;
  }
}
