/** A file in a volume. Its content may cost something, such as a token that has to be signed: it is made when it is read. */
export interface VolumeFile {
  readonly mode: number;
  /** The user that it belongs to; root unless stated. */
  readonly owner?: number;
  readonly content: () => Uint8Array | Promise<Uint8Array>;
}

/** By their paths below the volume. */
export type VolumeFiles = ReadonlyMap<string, VolumeFile>;
