import type { KeyToPath, Volume, VolumeProjection } from '../../generated/types/core-v1.js';

/** A file in a volume and its source. */
interface PlacedPath {
  readonly path: string;
  readonly source: string;
}

/** Files in one volume of which one would have to be a directory for the other, or which are the same. */
export function overlappingPathWarnings(volumes: readonly Volume[]): string[] {
  return volumes.flatMap((volume) => [
    ...plainWarnings(volume, `ConfigMap ${JSON.stringify(volume.configMap?.name ?? '')}`, volume.configMap?.items),
    ...plainWarnings(volume, `Secret ${JSON.stringify(volume.secret?.secretName ?? '')}`, volume.secret?.items),
    ...plainWarnings(volume, 'DownwardAPI', volume.downwardAPI?.items),
    ...projectedWarnings(volume),
  ]);
}

function plainWarnings({ name }: Volume, what: string, items: readonly { path: string }[] = []): string[] {
  const placed: PlacedPath[] = [];
  return placeAll(
    placed,
    items.map(({ path }) => ({ path, source: '' })),
  ).map((overlap) => describe(name, what, overlap));
}

function projectedWarnings({ name, projected }: Volume): string[] {
  const placed: PlacedPath[] = [];
  return (projected?.sources ?? []).flatMap((source) => {
    if (Object.keys(source).length === 0) return [`volume ${JSON.stringify(name)} (Projected) has no sources provided`];
    return placeAll(placed, pathsOf(source)).map((overlap) => describe(name, 'Projected', overlap));
  });
}

function pathsOf({
  configMap,
  secret,
  downwardAPI,
  serviceAccountToken,
  clusterTrustBundle,
}: VolumeProjection): PlacedPath[] {
  const from = (source: string, items: readonly Pick<KeyToPath, 'path'>[] = []) =>
    items.map(({ path }) => ({ path, source }));
  if (configMap?.items) return from(`ConfigMap ${JSON.stringify(configMap.name ?? '')}`, configMap.items);
  if (secret?.items) return from(`Secret ${JSON.stringify(secret.name ?? '')}`, secret.items);
  if (downwardAPI?.items) return from('DownwardAPI', downwardAPI.items);
  if (serviceAccountToken) return [{ path: serviceAccountToken.path, source: 'ServiceAccountToken' }];
  if (!clusterTrustBundle) return [];
  const bundle = clusterTrustBundle.name ?? clusterTrustBundle.signerName ?? '';
  return [{ path: clusterTrustBundle.path, source: `ClusterTrustBundle ${JSON.stringify(bundle)}` }];
}

/** Adds the paths one by one, and returns each with those that it overlaps. */
function placeAll(placed: PlacedPath[], added: readonly PlacedPath[]): [PlacedPath, PlacedPath][] {
  return added.flatMap((one) => {
    const trimmed = { ...one, path: one.path.replace(/\/+$/, '') };
    const overlaps = placed.filter((other) => overlap(trimmed.path, other.path));
    placed.push(trimmed);
    return overlaps.map((other): [PlacedPath, PlacedPath] => [trimmed, other]);
  });
}

function overlap(left: string, right: string): boolean {
  return left === right || left.startsWith(`${right}/`) || right.startsWith(`${left}/`);
}

function describe(volume: string, what: string, [one, other]: [PlacedPath, PlacedPath]): string {
  return `volume ${JSON.stringify(volume)} (${what}): overlapping paths: ${print(one)} with ${print(other)}`;
}

function print({ path, source }: PlacedPath): string {
  return source === '' ? JSON.stringify(path) : `${JSON.stringify(path)} (${source})`;
}
