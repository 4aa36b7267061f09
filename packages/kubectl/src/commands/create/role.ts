import type { Context } from '../../command/context.js';
import { type Generated, type GeneratedResource, headOf, requireName } from './generated.js';
import { rulesOf } from './role-rules.js';

const resource: GeneratedResource = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  resource: 'roles',
  kind: 'Role',
  namespaced: true,
};

export async function generate(context: Context): Promise<Generated> {
  const name = requireName(context);
  const object = { ...headOf(resource), metadata: { name }, rules: await rulesOf(context) };
  return { resource, object };
}
