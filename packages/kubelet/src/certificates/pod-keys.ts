/** A key that was made for a certificate of a pod. */
export interface PodKey {
  /** The private key: PKCS #8 as PEM. */
  readonly key: string;
  /** A PKCS #10 request for it with an empty subject, as DER. */
  readonly request: Uint8Array;
}

/** Makes keys on the node. */
export interface PodKeys {
  /** Of a type as the API names them: `ECDSAP256`. Throws if there is no such type. */
  generate(keyType: string): Promise<PodKey>;
}
