import { formatIp, fromBase64 } from '@coracle/apimachinery';
import { type DerElement, derElements, oidText, tags, within } from './der-reader.js';
import { pemBlocks } from './pem-blocks.js';
import { type PublicKey, readPublicKey } from './public-key.js';

/** The subject of a certificate request. */
export interface RequestedNames {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly emailAddresses: readonly string[];
  readonly uris: readonly string[];
}

/** What a PKCS #10 request contains. */
export interface RequestedCertificate extends RequestedNames {
  /** The request itself, as DER: a signer that signs it signs what was read here. */
  readonly der: Uint8Array;
}

const oids = {
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  extensionRequest: '1.2.840.113549.1.9.14',
  subjectAltName: '2.5.29.17',
} as const;

const nothingElse = { dnsNames: [], ipAddresses: [], emailAddresses: [], uris: [] };

/** Reads `spec.request`: base64 of PEM. `undefined` if it is no request. The signature is for the signer to check. */
export function readCertificateRequest(request: string | undefined): RequestedCertificate | undefined {
  try {
    const der = derOf(new TextDecoder().decode(fromBase64(request ?? '') ?? new Uint8Array()));
    const [info] = within(derElements(der)[0], tags.sequence);
    const [, subject, , attributes] = within(info, tags.sequence);
    return { ...nothingElse, ...subjectOf(subject), ...(attributes && alternativeNames(attributes)), der };
  } catch {
    return undefined;
  }
}

/** The key in a PKCS #10 request, as DER. `undefined` if it is no request. */
export function requestedKey(der: Uint8Array): PublicKey | undefined {
  try {
    const [info, algorithm, signature] = within(derElements(der)[0], tags.sequence);
    if (algorithm?.tag !== tags.sequence || signature?.tag !== tags.bitString) return undefined;
    return readPublicKey(within(info, tags.sequence)[2]);
  } catch {
    return undefined;
  }
}

function derOf(pem: string): Uint8Array {
  const block = pemBlocks(pem).find(({ type }) => type === 'CERTIFICATE REQUEST' || type === 'NEW CERTIFICATE REQUEST');
  return block?.content ?? new Uint8Array();
}

function subjectOf(name: DerElement | undefined): Pick<RequestedNames, 'commonName' | 'organizations'> {
  const values = within(name, tags.sequence)
    .flatMap((set) => within(set, tags.set))
    .map((attribute) => {
      const [type, value] = within(attribute, tags.sequence);
      return [type ? oidText(type) : '', text(value)] as const;
    });
  return {
    commonName: values.findLast(([type]) => type === oids.commonName)?.[1] ?? '',
    organizations: values.filter(([type]) => type === oids.organization).map(([, value]) => value),
  };
}

function text(element: DerElement | undefined): string {
  return new TextDecoder().decode(element?.content ?? new Uint8Array());
}

function alternativeNames(attributes: DerElement): Partial<RequestedNames> {
  for (const attribute of within(attributes, tags.attributes)) {
    const [type, values] = within(attribute, tags.sequence);
    if (!type || oidText(type) !== oids.extensionRequest) continue;
    for (const extension of within(values, tags.set).flatMap((list) => within(list, tags.sequence))) {
      const [id, ...rest] = within(extension, tags.sequence);
      const value = rest.at(-1);
      if (id && value && oidText(id) === oids.subjectAltName) return namesIn(value);
    }
  }
  return {};
}

/** The kind of a general name is its tag. */
function namesIn({ content }: DerElement): Partial<RequestedNames> {
  const names = within(derElements(content)[0], tags.sequence);
  const tagged = (tag: number) => names.filter((name) => name.tag === tag);
  return {
    emailAddresses: tagged(0x81).map(text),
    dnsNames: tagged(0x82).map(text),
    uris: tagged(0x86).map(text),
    ipAddresses: tagged(0x87).map(({ content: bytes }) => formatIp({ family: bytes.length === 16 ? 6 : 4, bytes })),
  };
}
