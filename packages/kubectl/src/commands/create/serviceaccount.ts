import type { Context } from '../../command/context.js';
import { createGenerated, type GeneratedResource, headOf, requireName } from './generated.js';

const resource: GeneratedResource = {
  group: '',
  version: 'v1',
  resource: 'serviceaccounts',
  kind: 'ServiceAccount',
  namespaced: true,
};

export async function run(context: Context): Promise<void> {
  const name = requireName(context);
  const object = { ...headOf(resource), metadata: { name } };
  await createGenerated(context, { resource, object, failure: 'failed to create serviceaccount: ' });
}
