/** A certificate with its private key, both as PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}
