import type { PodCertificateProjection } from '@coracle/api';
import type { VolumeFile, VolumeFiles } from './volume-file.js';
import type { VolumeInput } from './volume-input.js';

const encoder = new TextEncoder();

/** The key and the certificate chain of the pod, in separate files or in one. */
export async function certificateFiles(
  { pod, certificates }: VolumeInput,
  source: { readonly volume: string; readonly index: number; readonly projection: PodCertificateProjection },
  access: Pick<VolumeFile, 'mode' | 'owner'>,
): Promise<VolumeFiles> {
  const { credentialBundlePath, keyPath, certificateChainPath } = source.projection;
  // Simulated nodes generate no keys: their files are not read.
  const { key, chain } = (await certificates?.credentials(pod, source)) ?? { key: '', chain: '' };
  const contents: readonly (readonly [string | undefined, string])[] = [
    [credentialBundlePath, key + chain],
    [keyPath, key],
    [certificateChainPath, chain],
  ];
  return new Map(
    contents.flatMap(([path, text]) => (path ? [[path, { ...access, content: () => encoder.encode(text) }]] : [])),
  );
}
