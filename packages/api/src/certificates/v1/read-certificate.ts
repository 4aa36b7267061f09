import { type DerElement, derElements, oidText, tags, within } from './der-reader.js';

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

/** Behind the version, if it is told: serial number, algorithm, issuer, validity, subject. */
function subjectOf(parts: readonly DerElement[]): DerElement | undefined {
  return parts[parts[0]?.tag === tags.attributes ? 5 : 4];
}
