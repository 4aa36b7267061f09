import { CommandError } from '../../command/command-error.js';
import type { Context } from '../../command/context.js';
import { type Generated, type GeneratedResource, headOf, requireName } from './generated.js';
import { subjectsOf } from './subjects.js';

const resource: GeneratedResource = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  resource: 'rolebindings',
  kind: 'RoleBinding',
  namespaced: true,
};

export async function generate(context: Context): Promise<Generated> {
  const { flags } = context;
  const name = requireName(context);
  const [role, clusterRole] = [flags.string('role'), flags.string('clusterrole')];
  if ((role === '') === (clusterRole === ''))
    throw new CommandError('exactly one of clusterrole or role must be specified');
  const roleRef = {
    apiGroup: 'rbac.authorization.k8s.io',
    kind: role === '' ? 'ClusterRole' : 'Role',
    name: role || clusterRole,
  };
  const subjects = subjectsOf(flags);
  const object = { ...headOf(resource), metadata: { name }, ...(subjects.length > 0 && { subjects }), roleRef };
  return { resource, object, failure: 'failed to create rolebinding: ' };
}
