import type { Context } from '../../command/context.js';
import { type Generated, type GeneratedResource, headOf, requireName } from './generated.js';

const resource: GeneratedResource = {
  group: '',
  version: 'v1',
  resource: 'serviceaccounts',
  kind: 'ServiceAccount',
  namespaced: true,
};

export async function generate(context: Context): Promise<Generated> {
  const name = requireName(context);
  const object = { ...headOf(resource), metadata: { name } };
  return { resource, object, failure: 'failed to create serviceaccount: ' };
}
