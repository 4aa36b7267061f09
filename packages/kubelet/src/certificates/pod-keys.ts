/** A key that was made for a certificate of a pod. */
export interface PodKey {
  /** The private key: PKCS #8 as PEM. */
  readonly key: string;
  /** A PKCS #10 request for it with an empty subject, as DER. */
  readonly request: Uint8Array;
}

/** Generates keys on the node. */
export interface PodKeys {
  /** Takes a key type of the API: `ECDSAP256`. Throws for unknown types. */
  generate(keyType: string): Promise<PodKey>;
}
