import type { Millis } from '@coracle/base';
import { type DerElement, derElements, oidText, tags, within } from './der-reader.js';
import { type PublicKey, readPublicKey } from './public-key.js';

/** The values of an attribute (`2.5.4.3`) in the subject of a certificate, in their order. None if it cannot be read. */
export function subjectAttributes(certificate: Uint8Array, type: string): string[] {
  try {
    const [content] = within(derElements(certificate)[0], tags.sequence);
    return within(subjectOf(within(content, tags.sequence)), tags.sequence)
      .flatMap((set) => within(set, tags.set))
      .map((attribute) => within(attribute, tags.sequence))
      .filter(([name]) => name && oidText(name) === type)
      .map(([, value]) => new TextDecoder().decode(value?.content));
  } catch {
    return [];
  }
}

/** For which key a certificate is, and from when to when. */
export interface CertificateFacts {
  readonly publicKey: PublicKey;
  readonly notBefore: Millis;
  readonly notAfter: Millis;
}

/** `undefined` if it cannot be read. */
export function certificateFacts(certificate: Uint8Array): CertificateFacts | undefined {
  try {
    const [content, algorithm, signature] = within(derElements(certificate)[0], tags.sequence);
    if (algorithm?.tag !== tags.sequence || signature?.tag !== tags.bitString) return undefined;
    const parts = within(content, tags.sequence);
    const subjectAt = parts[0]?.tag === tags.attributes ? 5 : 4;
    const [notBefore, notAfter] = within(parts[subjectAt - 1], tags.sequence).map(timeOf);
    if (notBefore === undefined || notAfter === undefined) return undefined;
    return { publicKey: readPublicKey(parts[subjectAt + 1]), notBefore, notAfter };
  } catch {
    return undefined;
  }
}

const timeForm = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/;
const shortTimeTag = 0x17;

/** Times with two digits for the year are those from 1950 to 2049. */
function timeOf({ tag, content }: DerElement): Millis {
  const text = new TextDecoder().decode(content);
  const century = Number(text.slice(0, 2)) < 50 ? '20' : '19';
  const parts = timeForm.exec(tag === shortTimeTag ? century + text : text);
  if (!parts) throw new RangeError('DER: no time');
  const [year = 0, month = 0, day, hour, minute, second] = parts.slice(1).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

const basicConstraints = '2.5.29.19';
const [extensionsTag, booleanTag, octetsTag] = [0xa3, 0x01, 0x04];

/** Whether a certificate is that of an authority; `undefined` if it cannot be read. */
export function isAuthority(certificate: Uint8Array): boolean | undefined {
  try {
    const [content, algorithm, signature] = within(derElements(certificate)[0], tags.sequence);
    if (algorithm?.tag !== tags.sequence || signature?.tag !== tags.bitString) return undefined;
    const parts = within(content, tags.sequence);
    const list = parts.find(({ tag }) => tag === extensionsTag);
    const extensions = list ? within(within(list, extensionsTag)[0], tags.sequence) : [];
    return extensions.some((extension) => saysAuthority(within(extension, tags.sequence)));
  } catch {
    return undefined;
  }
}

function saysAuthority([name, ...rest]: readonly DerElement[]): boolean {
  const value = rest.find(({ tag }) => tag === octetsTag);
  if (!name || !value || oidText(name) !== basicConstraints) return false;
  const [isCa] = within(derElements(value.content)[0], tags.sequence);
  return isCa?.tag === booleanTag && isCa.content[0] !== 0;
}

/** After the version, if present: serial number, algorithm, issuer, validity, subject. */
function subjectOf(parts: readonly DerElement[]): DerElement | undefined {
  return parts[parts[0]?.tag === tags.attributes ? 5 : 4];
}
