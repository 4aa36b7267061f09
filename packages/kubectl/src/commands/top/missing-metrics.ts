import { formatDuration } from '@coracle/apimachinery';
import { CommandError } from '../../command/command-error.js';
import type { Context } from '../../command/context.js';
import { RequestHelper, withQuery } from '../../resources/request-helper.js';
import { recordsAt, textAt } from '../../values.js';
import type { PodUsageQuery } from './metrics.js';

/** A pod that is younger may have no metrics yet. */
const metricsDelayMs = 120_000;

/** When no pod has metrics although there are pods, the command fails; for old pods something is wrong. */
export async function requireRipePods(
  { host, factory }: Pick<Context, 'host' | 'factory'>,
  { namespace, selector = '', fieldSelector = '' }: PodUsageQuery,
): Promise<void> {
  const path = namespace === '' ? '/api/v1/pods' : `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`;
  const helper = new RequestHelper(await factory.client());
  const pods = recordsAt(
    await helper.send('GET', withQuery(path, { labelSelector: selector, fieldSelector })),
    'items',
  );
  if (pods.length === 0) return;
  for (const pod of pods) {
    const ageMs = host.clock.now() - Date.parse(textAt(pod, 'metadata', 'creationTimestamp'));
    if (ageMs <= metricsDelayMs) continue;
    const name = `${textAt(pod, 'metadata', 'namespace')}/${textAt(pod, 'metadata', 'name')}`;
    throw new CommandError(`Metrics not available for pod ${name}, age: ${formatDuration(ageMs)}`);
  }
  throw new CommandError('metrics not available yet');
}
