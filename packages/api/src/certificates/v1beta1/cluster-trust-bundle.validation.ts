import {
  byteLength,
  type FieldError,
  FieldPath,
  invalidField,
  isDns1123Subdomain,
  tooLongField,
} from '@coracle/apimachinery';
import type { ClusterTrustBundle } from '../../generated/types/certificates-v1beta1.js';
import { checkImmutable } from '../../validation/field-checks.js';
import { pemBlocks } from '../v1/pem-blocks.js';
import { isAuthority } from '../v1/read-certificate.js';
import { checkSignerName } from '../v1/signer-name.js';

const specPath = FieldPath.of('spec');
const maxBundleBytes = 1024 * 1024;

/** A bundle of trusted CAs, of a signer or without one. */
export function validateClusterTrustBundle(bundle: ClusterTrustBundle): FieldError[] {
  return [...checkWhose(bundle), ...checkAnchors(specPath.child('trustBundle'), bundle.spec?.trustBundle ?? '')];
}

/** An unchanged bundle is not validated again. */
export function validateClusterTrustBundleUpdate(
  bundle: ClusterTrustBundle,
  previous: ClusterTrustBundle,
): FieldError[] {
  const isSame = bundle.spec?.trustBundle === previous.spec?.trustBundle;
  return [
    ...(isSame ? checkWhose(bundle) : validateClusterTrustBundle(bundle)),
    ...checkImmutable(specPath.child('signerName'), bundle.spec?.signerName ?? '', previous.spec?.signerName ?? ''),
  ];
}

/** The name of a bundle begins with its signer: `example.com:signer:bundle`. */
function checkWhose({ metadata, spec }: ClusterTrustBundle): FieldError[] {
  const { name = '' } = metadata;
  const signerName = spec?.signerName ?? '';
  const errors = nameProblems(name, signerName).map((problem) => invalidField('metadata.name', name, problem));
  return signerName === '' ? errors : [...errors, ...checkSignerName(specPath.child('signerName'), signerName)];
}

function nameProblems(name: string, signerName: string): string[] {
  if (signerName === '') {
    if (name.includes(':')) return ['ClusterTrustBundle without signer name must not have ":" in its name'];
    return isDns1123Subdomain(name);
  }
  const prefix = `${signerName.replaceAll('/', ':')}:`;
  if (name.startsWith(prefix)) return isDns1123Subdomain(name.slice(prefix.length));
  return [`ClusterTrustBundle for signerName ${signerName} must be named with prefix ${prefix}`];
}

function checkAnchors(path: FieldPath, text: string): FieldError[] {
  if (byteLength(text) > maxBundleBytes) return [tooLongField(path, maxBundleBytes)];
  const refuse = (detail: string) => invalidField(path, '<value omitted>', detail);
  const blocks = pemBlocks(text);
  const errors = blocks.flatMap(({ type, hasHeaders, content }, index) => {
    if (type !== 'CERTIFICATE') return [refuse(`entry ${index} has bad block type: ${type}`)];
    if (hasHeaders) return [refuse(`entry ${index} has PEM block headers`)];
    const authority = isAuthority(content);
    if (authority === undefined) return [refuse(`entry ${index} does not parse as X.509`)];
    return authority ? [] : [refuse(`entry ${index} does not have the CA bit set`)];
  });
  if (errors.length > 0) return errors;
  return blocks.length === 0 ? [refuse('at least one trust anchor must be provided')] : repeated(blocks, refuse);
}

function repeated(
  blocks: readonly { readonly content: Uint8Array }[],
  refuse: (detail: string) => FieldError,
): FieldError[] {
  const places = new Map<string, number[]>();
  for (const [index, { content }] of blocks.entries()) {
    const key = content.join();
    places.set(key, [...(places.get(key) ?? []), index]);
  }
  const several = [...places.values()].filter((indexes) => indexes.length > 1);
  return several.map((indexes) => refuse(`duplicate trust anchor (indices [${indexes.join(' ')}])`));
}
