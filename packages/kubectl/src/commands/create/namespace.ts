import type { Context } from '../../command/context.js';
import { createGenerated, type GeneratedResource, headOf, requireName } from './generated.js';

const resource: GeneratedResource = {
  group: '',
  version: 'v1',
  resource: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
};

export async function run(context: Context): Promise<void> {
  const name = requireName(context);
  await createGenerated(context, {
    resource,
    object: { ...headOf(resource), metadata: { name }, spec: {}, status: {} },
  });
}
