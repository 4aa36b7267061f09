import type { ClusterTrustBundleProjection } from '@coracle/api';
import { LabelSelector } from '@coracle/apimachinery';
import { ConfigError } from '../config-error.js';
import type { VolumeFiles } from './volume-file.js';
import type { VolumeInput } from './volume-input.js';

const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates of one trust bundle, or of all bundles of a signer, each of them once. */
export async function trustBundleFile(
  { references }: VolumeInput,
  projection: ClusterTrustBundleProjection,
  mode = 0o644,
): Promise<VolumeFiles> {
  const { name, signerName, labelSelector, optional = false, path } = projection;
  const bundles = await references.trustBundles();
  const chosen = bundles.filter(({ metadata, spec }) =>
    name !== undefined
      ? metadata.name === name
      : spec?.signerName === signerName && LabelSelector.fromObject(labelSelector).matches(metadata.labels ?? {}),
  );
  if (chosen.length === 0 && !optional) throw new ConfigError(missing(projection));
  const texts = chosen.flatMap(({ spec }) => spec?.trustBundle?.match(certificate) ?? []);
  const text = [...new Set(texts)].map((one) => `${one}\n`).join('');
  return new Map([[path, { mode, content: () => new TextEncoder().encode(text) }]]);
}

function missing({ name, signerName }: ClusterTrustBundleProjection): string {
  if (name !== undefined) return `clustertrustbundle ${JSON.stringify(name)} not found`;
  return `combination of signerName and labelSelector matched zero ClusterTrustBundles: ${JSON.stringify(signerName)}`;
}
