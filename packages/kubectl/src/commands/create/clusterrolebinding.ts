import type { Context } from '../../command/context.js';
import { type Generated, type GeneratedResource, headOf, requireName } from './generated.js';
import { subjectsOf } from './subjects.js';

const resource: GeneratedResource = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  resource: 'clusterrolebindings',
  kind: 'ClusterRoleBinding',
  namespaced: false,
};

export async function generate(context: Context): Promise<Generated> {
  const name = requireName(context);
  const subjects = subjectsOf(context.flags);
  const object = {
    ...headOf(resource),
    metadata: { name },
    ...(subjects.length > 0 && { subjects }),
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: context.flags.string('clusterrole') },
  };
  return { resource, object, failure: 'failed to create clusterrolebinding: ' };
}
