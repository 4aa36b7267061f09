import type { Context } from '../../command/context.js';
import { createGenerated, type GeneratedResource, headOf, requireName } from './generated.js';

const resource: GeneratedResource = {
  group: 'scheduling.k8s.io',
  version: 'v1',
  resource: 'priorityclasses',
  kind: 'PriorityClass',
  namespaced: false,
};

export async function run(context: Context): Promise<void> {
  const { flags } = context;
  const name = requireName(context);
  const description = flags.string('description');
  const object = {
    ...headOf(resource),
    metadata: { name },
    value: flags.number('value'),
    ...(flags.bool('global-default') && { globalDefault: true }),
    ...(description !== '' && { description }),
    preemptionPolicy: flags.string('preemption-policy'),
  };
  await createGenerated(context, { resource, object, failure: 'failed to create priorityclass: ' });
}
