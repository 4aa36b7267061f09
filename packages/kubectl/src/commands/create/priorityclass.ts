import type { Context } from '../../command/context.js';
import { type Generated, type GeneratedResource, headOf, requireName } from './generated.js';

const resource: GeneratedResource = {
  group: 'scheduling.k8s.io',
  version: 'v1',
  resource: 'priorityclasses',
  kind: 'PriorityClass',
  namespaced: false,
};

export async function generate(context: Context): Promise<Generated> {
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
  return { resource, object, failure: 'failed to create priorityclass: ' };
}
