import { badRequest } from '@coracle/apimachinery';
import type { AccessAttributes, Authorizer } from '../authorization/authorizer.js';
import type { Filter, RequestContext } from '../handler-chain.js';
import type { UserInfo } from '../user-info.js';
import { accessDenied } from './authorize.js';

const extraPrefix = 'impersonate-extra-';
const serviceAccountPattern = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** Lets a user who may act as somebody else do so, by the `Impersonate-*` headers (`kubectl --as`). */
export function impersonate(authorizer: Authorizer): Filter {
  return (next) => (context) => {
    const wanted = impersonatedUser(context);
    if (wanted) {
      for (const access of neededAccess(wanted, context.user)) {
        const decision = authorizer.authorize(access);
        if (decision.kind !== 'allow') throw accessDenied(access, decision.reason);
      }
      context.user = withImpliedGroups(wanted);
    }
    return next(context);
  };
}

function impersonatedUser({ request }: RequestContext): UserInfo | undefined {
  const { headers } = request;
  if (!speaksOfImpersonation(headers)) return undefined;
  const name = headers['impersonate-user'];
  const uid = headers['impersonate-uid'];
  const groups = splitHeader(headers['impersonate-group']);
  const extra: Record<string, string[]> = {};
  for (const [header, value] of Object.entries(headers)) {
    if (header.startsWith(extraPrefix)) extra[decodeKey(header.slice(extraPrefix.length))] = splitHeader(value);
  }
  const hasExtra = Object.keys(extra).length > 0;
  if (!name) {
    if (uid || groups.length > 0 || hasExtra) throw badRequest('requested impersonation without impersonating a user');
    return undefined;
  }
  return { name, ...(uid && { uid }), groups, ...(hasExtra && { extra }) };
}

function speaksOfImpersonation(headers: RequestContext['request']['headers']): boolean {
  for (const header in headers) if (header.startsWith('impersonate-')) return true;
  return false;
}

/** Several headers of one name arrive joined by commas. */
function splitHeader(value: string | undefined): string[] {
  return value === undefined ? [] : value.split(',').map((one) => one.trim());
}

function decodeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** Each part of the identity is a thing that one must be allowed to impersonate. */
function* neededAccess(wanted: UserInfo, user: UserInfo): Iterable<AccessAttributes> {
  const base = {
    user,
    verb: 'impersonate',
    isResourceRequest: true,
    version: 'v1',
    subresource: '',
    namespace: '',
    path: '',
  };
  const account = serviceAccountPattern.exec(wanted.name);
  if (account)
    yield { ...base, group: '', resource: 'serviceaccounts', namespace: account[1] ?? '', name: account[2] ?? '' };
  else yield { ...base, group: '', resource: 'users', name: wanted.name };
  for (const group of wanted.groups) yield { ...base, group: '', resource: 'groups', name: group };
  const authentication = { ...base, group: 'authentication.k8s.io' };
  if (wanted.uid) yield { ...authentication, resource: 'uids', name: wanted.uid };
  for (const [key, values] of Object.entries(wanted.extra ?? {})) {
    for (const value of values) yield { ...authentication, resource: 'userextras', subresource: key, name: value };
  }
}

/** What the user would have had by logging in; groups that were named stay as they are. */
function withImpliedGroups(user: UserInfo): UserInfo {
  const account = serviceAccountPattern.exec(user.name);
  const named =
    user.groups.length > 0 || !account
      ? user.groups
      : ['system:serviceaccounts', `system:serviceaccounts:${account[1]}`];
  const isAnonymous = user.name === 'system:anonymous';
  const settled = named.includes('system:unauthenticated') || (!isAnonymous && named.includes('system:authenticated'));
  const standing = isAnonymous ? 'system:unauthenticated' : 'system:authenticated';
  return { ...user, groups: settled ? named : [...named, standing] };
}
