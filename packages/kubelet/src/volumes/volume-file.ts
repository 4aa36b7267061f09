/**
 * A file in a volume. Its content is computed when it is read, because it may be expensive, such as a signed token.
 */
export interface VolumeFile {
  readonly mode: number;
  /** The owner; root by default. */
  readonly owner?: number;
  readonly content: () => Uint8Array | Promise<Uint8Array>;
}

/** By their paths below the volume. */
export type VolumeFiles = ReadonlyMap<string, VolumeFile>;
