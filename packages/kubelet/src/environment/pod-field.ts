import type { Pod } from '@coracle/api';
import { ownValue } from '@coracle/base';
import { ConfigError } from '../config-error.js';

/** Values of the downward API that are not fields of the object. */
export interface PodPlace {
  readonly pod: Pod;
  readonly nodeName: string;
  readonly hostIps: readonly string[];
  readonly podIps: readonly string[];
}

const fields: Readonly<Record<string, (place: PodPlace) => string>> = {
  'metadata.name': ({ pod }) => pod.metadata.name ?? '',
  'metadata.namespace': ({ pod }) => pod.metadata.namespace ?? '',
  'metadata.uid': ({ pod }) => pod.metadata.uid ?? '',
  'metadata.labels': ({ pod }) => formatMap(pod.metadata.labels),
  'metadata.annotations': ({ pod }) => formatMap(pod.metadata.annotations),
  'spec.nodeName': ({ nodeName }) => nodeName,
  'spec.serviceAccountName': ({ pod }) => pod.spec?.serviceAccountName ?? '',
  'status.hostIP': ({ hostIps }) => hostIps[0] ?? '',
  'status.hostIPs': ({ hostIps }) => hostIps.join(','),
  'status.podIP': ({ podIps }) => podIps[0] ?? '',
  'status.podIPs': ({ podIps }) => podIps.join(','),
};

/** The value of a `fieldRef`: `metadata.name`, `metadata.labels['app']`, `status.podIP`. */
export function podField(place: PodPlace, path: string): string {
  const field = ownValue(fields, path);
  if (field) return field(place);
  const [, list, key = ''] = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(path) ?? [];
  if (list !== 'labels' && list !== 'annotations') throw new ConfigError(`unsupported fieldPath: ${path}`);
  return ownValue(place.pod.metadata[list] ?? {}, key) ?? '';
}

/** One line `key="value"` for each entry, sorted by key. */
function formatMap(map: Readonly<Record<string, string>> = {}): string {
  const keys = Object.keys(map).sort();
  return keys.map((key) => `${key}=${JSON.stringify(map[key])}`).join('\n');
}
