import type { Context } from '../../command/context.js';
import { type Generated, type GeneratedResource, headOf, requireName } from './generated.js';

const resource: GeneratedResource = {
  group: '',
  version: 'v1',
  resource: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
};

export async function generate(context: Context): Promise<Generated> {
  const name = requireName(context);
  return {
    resource,
    object: { ...headOf(resource), metadata: { name }, spec: {}, status: {} },
  };
}
