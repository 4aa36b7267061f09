import { type DerElement, derElements, oidText, tags, within } from './der-reader.js';

/** A public key as certificates and requests for them carry it (SubjectPublicKeyInfo). */
export interface PublicKey {
  /** Equal for equal keys. */
  readonly content: Uint8Array;
  /** `undefined` for a key that pods get no certificates for. */
  readonly type: string | undefined;
  /** Why there is no type. */
  readonly problem?: string;
}

const oids = { rsa: '1.2.840.113549.1.1.1', ellipticCurve: '1.2.840.10045.2.1', ed25519: '1.3.101.112' } as const;
const curves: Readonly<Record<string, string>> = {
  '1.2.840.10045.3.1.7': 'ECDSAP256',
  '1.3.132.0.34': 'ECDSAP384',
  '1.3.132.0.35': 'ECDSAP521',
};
const integerTag = 0x02;

/** Reads one. Throws if it is no public key. */
export function readPublicKey(element: DerElement | undefined): PublicKey {
  const [algorithm, bits] = within(element, tags.sequence);
  const [name, parameter] = within(algorithm, tags.sequence);
  if (!element || !name || bits?.tag !== tags.bitString) throw new RangeError('DER: no public key');
  return { content: element.content, ...typeOf(oidText(name), parameter, bits) };
}

function typeOf(algorithm: string, parameter: DerElement | undefined, bits: DerElement): Omit<PublicKey, 'content'> {
  if (algorithm === oids.ed25519) return { type: 'ED25519' };
  if (algorithm === oids.ellipticCurve) {
    const type = parameter && curves[oidText(parameter)];
    return type ? { type } : { type: undefined, problem: 'elliptic public keys must use curve P256, P384, or P521' };
  }
  if (algorithm !== oids.rsa)
    return { type: undefined, problem: 'unknown public key type; supported types are Ed25519, ECDSA, and RSA' };
  const size = modulusBits(bits);
  if (size === 3072 || size === 4096) return { type: `RSA${size}` };
  return { type: undefined, problem: 'RSA keys must have modulus size 3072 or 4096' };
}

/** A bit string begins with the number of bits that do not count; a positive number may begin with a zero. */
function modulusBits({ content }: DerElement): number {
  const [modulus] = within(derElements(content.subarray(1))[0], tags.sequence);
  if (modulus?.tag !== integerTag) throw new RangeError('DER: no modulus');
  const first = modulus.content.findIndex((byte) => byte !== 0);
  return first === -1 ? 0 : (modulus.content.length - first) * 8 - Math.clz32(modulus.content[first] ?? 0) + 24;
}
