import type { Millis } from '@coracle/base';

/** A certificate to sign. */
export interface SigningOrder {
  /** PKCS #10, as DER. */
  readonly request: Uint8Array;
  /** In the format of the API: `client auth`, `digital signature` … */
  readonly usages: readonly string[];
  readonly notBefore: Millis;
  /** The certificate may expire earlier, with that of the CA. */
  readonly notAfter: Millis;
}

/** Holds the key of a CA of the cluster. */
export interface CertificateSigner {
  /** The certificate, as PEM. Fails if the request is not signed with its own key. */
  sign(order: SigningOrder): Promise<string>;
}

/** The signer of a signer name; `undefined` if another controller signs its requests. */
export type SignerFor = (signerName: string) => CertificateSigner | undefined;
