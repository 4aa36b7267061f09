import type { Millis } from '@coracle/base';

/** What is to be signed. */
export interface SigningOrder {
  /** PKCS #10, as DER. */
  readonly request: Uint8Array;
  /** As the API has them: `client auth`, `digital signature` … */
  readonly usages: readonly string[];
  readonly notBefore: Millis;
  /** The signer may end the certificate sooner, with the authority's own. */
  readonly notAfter: Millis;
}

/** Holds the key of an authority of the cluster. */
export interface CertificateSigner {
  /** The certificate, as PEM. Fails if the request is not signed with its own key. */
  sign(order: SigningOrder): Promise<string>;
}

/** The signer of a signer name; `undefined` if another controller signs its requests. */
export type SignerFor = (signerName: string) => CertificateSigner | undefined;
