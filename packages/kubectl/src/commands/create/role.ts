import type { Context } from '../../command/context.js';
import { createGenerated, type GeneratedResource, headOf, requireName } from './generated.js';
import { rulesOf } from './role-rules.js';

const resource: GeneratedResource = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  resource: 'roles',
  kind: 'Role',
  namespaced: true,
};

export async function run(context: Context): Promise<void> {
  const name = requireName(context);
  const object = { ...headOf(resource), metadata: { name }, rules: await rulesOf(context) };
  await createGenerated(context, { resource, object });
}
