import { type Context, warn } from '../../command/context.js';
import { formatSelector } from '../../describe/writer.js';
import { RequestHelper, withQuery } from '../../resources/request-helper.js';
import { type Fields, recordAt, recordsAt, textAt } from '../../values.js';
import { reasonsOfPod } from '../../why/reasons-of-pod.js';

/** Prints the reasons why pods of a stuck rollout are waiting to standard error. */
export async function explainRollout(context: Context, object: Fields): Promise<void> {
  const helper = new RequestHelper(await context.factory.client());
  const namespace = textAt(object, 'metadata', 'namespace');
  const labelSelector = formatSelector(recordAt(object, 'spec', 'selector'));
  const pods = recordsAt(
    await helper.send('GET', withQuery(`/api/v1/namespaces/${namespace}/pods`, { labelSelector })),
    'items',
  );
  if (pods.length === 0) warn(context, 'no pods have been created; see the events of the workload');
  for (const pod of pods)
    for (const reason of reasonsOfPod(pod)) warn(context, `pod/${textAt(pod, 'metadata', 'name')}: ${reason}`);
}
