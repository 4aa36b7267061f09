import type { UserInfo } from '../user-info.js';
import type { AccessAttributes } from './authorizer.js';
import type { PolicyRule } from './rbac/rule-match.js';

export const jane: UserInfo = { name: 'jane', groups: ['dev', 'system:authenticated'] };

/** `get pods/log x` in a namespace, or `get /healthz`. */
export function accessTo(
  text: string,
  { user = jane, namespace = 'default', group = '' }: { user?: UserInfo; namespace?: string; group?: string } = {},
): AccessAttributes {
  const [verb = '', what = '', name = ''] = text.split(' ');
  const isResourceRequest = !what.startsWith('/');
  const [resource = '', subresource = ''] = isResourceRequest ? what.split('/') : [];
  return {
    user,
    verb,
    isResourceRequest,
    group,
    version: 'v1',
    resource,
    subresource,
    namespace,
    name,
    path: isResourceRequest ? '' : what,
  };
}

export const rule = (verbs: string, resources: string, more: Partial<PolicyRule> = {}): PolicyRule => ({
  verbs: verbs.split(','),
  apiGroups: [''],
  resources: resources.split(','),
  ...more,
});
