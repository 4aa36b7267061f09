import { badRequest } from '@coracle/apimachinery';
import type { Handler } from '../handler-chain.js';
import type { ObjectReader } from '../object-reader.js';
import type { AccessAttributes, Authorizer } from './authorizer.js';
import { type RoleThatAllows, rolesThatAllow } from './rbac/smallest-roles.js';

/** Why a user may do something, or which rules would allow it. */
export interface AccessExplanation {
  readonly allowed: boolean;
  /** Which binding allowed it, or why it was refused, as far as an authorizer says. */
  readonly reason: string;
  /** Without one, the existing roles that would allow it, the smallest first. */
  readonly roles: readonly RoleThatAllows[];
}

const mostRoles = 5;

/** `GET /debug/coracle/can?user=jane&verb=get&resource=pods`: which binding allows it, or which role would. */
export function whyCanEndpoints(objects: ObjectReader, authorizer: Authorizer): Readonly<Record<string, Handler>> {
  return {
    '/debug/coracle/can': async ({ query }) => {
      const explanation = await explainAccess(readQuestion(query), { objects, authorizer });
      return {
        status: 200,
        headers: { 'content-type': 'application/json', 'cache-control': 'no-cache, private' },
        body: { kind: 'bytes', chunks: [new TextEncoder().encode(JSON.stringify(explanation))] },
      };
    },
  };
}

export async function explainAccess(
  attributes: AccessAttributes,
  { objects, authorizer }: { readonly objects: ObjectReader; readonly authorizer: Authorizer },
): Promise<AccessExplanation> {
  const decision = await authorizer.authorize(attributes);
  const allowed = decision.kind === 'allow';
  const roles = allowed ? [] : rolesThatAllow(objects, attributes).slice(0, mostRoles);
  return { allowed, reason: decision.reason, roles };
}

function readQuestion(query: URLSearchParams): AccessAttributes {
  const text = (name: string) => query.get(name) ?? '';
  for (const name of ['user', 'verb']) if (text(name) === '') throw badRequest(`${name} is required`);
  const path = text('path');
  if ((text('resource') === '') === (path === '')) throw badRequest('either resource or path is required');
  const user = { name: text('user'), groups: groupsOf(text('user'), query.getAll('group')) };
  return {
    user,
    verb: text('verb'),
    isResourceRequest: path === '',
    group: text('apiGroup'),
    version: '*',
    resource: text('resource'),
    subresource: text('subresource'),
    namespace: text('namespace'),
    name: text('name'),
    path,
  };
}

/** Every authenticated user is in one group; service accounts are in two more. */
function groupsOf(user: string, groups: readonly string[]): readonly string[] {
  const [, kind, namespace, name] = user.split(':');
  const isAccount = user.startsWith('system:serviceaccount:') && kind !== undefined && name !== undefined;
  const accounts = isAccount ? ['system:serviceaccounts', `system:serviceaccounts:${namespace}`] : [];
  return [...new Set([...groups, ...accounts, 'system:authenticated'])];
}
