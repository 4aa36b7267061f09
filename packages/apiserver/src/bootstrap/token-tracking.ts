import { type ConfigMap, refs } from '@coracle/api';
import { formatTime, parseTime } from '@coracle/apimachinery';
import type { Needs } from '../server-parts.js';
import { ensureObjects } from './bootstrap-objects.js';

const metadata = { namespace: 'kube-system', name: 'kube-apiserver-legacy-service-account-token-tracking' };

/**
 * Records the day since which the use of tokens in secrets is tracked; before it, an unused token may have been used.
 */
export async function ensureTokenTracking(parts: Needs<'objects' | 'writer' | 'clock'>): Promise<void> {
  const current = parts.objects.get(refs.configMaps, metadata.namespace, metadata.name);
  const data = { since: formatTime(parts.clock.now()).slice(0, 10) };
  if (!current) await ensureObjects(parts, [{ ref: refs.configMaps, object: { metadata, data } as ConfigMap }]);
  else if (!isDay(current.data?.['since'])) {
    await parts.writer.update(refs.configMaps, metadata.namespace, metadata.name, (latest) => ({
      ...latest,
      data: { ...latest.data, ...data },
    }));
  }
}

function isDay(text = ''): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && parseTime(`${text}T00:00:00Z`) !== undefined;
}
