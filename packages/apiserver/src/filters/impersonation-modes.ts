import { isDns1123Subdomain, isDomainPrefixedPath, type StatusError } from '@coracle/apimachinery';
import type { MaybePromise } from '@coracle/base';
import type { AccessAttributes, Authorizer } from '../authorization/authorizer.js';
import type { UserInfo } from '../user-info.js';
import { accessDenied } from './authorize.js';

/** An impersonation for one request. */
export interface Impersonation {
  /** The action to authorize, and the user who sends the request. */
  readonly request: AccessAttributes;
  readonly target: UserInfo;
}

/**
 * A mode of impersonation. The constrained ones need two permissions: to impersonate the user (`impersonate:MODE`), and
 * to do this action while impersonating (`impersonate-on:MODE:VERB`).
 */
export interface ImpersonationMode {
  /** Empty for the original mode, which allows everything that the impersonated user may do. */
  readonly name: string;
  /** Whether the mode applies to such users. */
  suits(target: UserInfo, requestor: UserInfo): boolean;
  /** The access that authorizers check instead of the requested one. */
  shown?(access: AccessAttributes): AccessAttributes;
}

const nodeNameExtra = 'authentication.kubernetes.io/node-name';
const nodeKeysExtra = 'authentication.kubernetes.io/associated-node-keys';

/** In the order in which they are tried. */
export const constrainedModes: readonly ImpersonationMode[] = [
  {
    name: 'associated-node',
    suits: (target, requestor) => hasNameOnly(target) && nodeNameOf(target.name) === ownNode(requestor),
    // The same for all nodes, so that permissions apply to the account and not to one of its pods.
    shown: (access) => ({
      ...access,
      ...(access.verb === 'impersonate:associated-node' && { name: '*' }),
      user: { ...access.user, extra: { [nodeKeysExtra]: Object.keys(access.user.extra ?? {}).sort() } },
    }),
  },
  { name: 'arbitrary-node', suits: (target) => hasNameOnly(target) && nodeNameOf(target.name) !== undefined },
  { name: 'serviceaccount', suits: (target) => hasNameOnly(target) && serviceAccountOf(target.name) !== undefined },
  {
    name: 'user-info',
    suits: ({ name }) => nodeNameOf(name) === undefined && serviceAccountOf(name) === undefined,
  },
];

export const plainMode: ImpersonationMode = { name: '', suits: () => true };

/** Why the user may not impersonate in this mode; `undefined` if they may. */
export async function refuseImpersonation(
  authorizer: Authorizer,
  mode: ImpersonationMode,
  { request, target }: Impersonation,
): Promise<StatusError | undefined> {
  const refuse = async (access: AccessAttributes) => {
    const shown = mode.shown?.(access) ?? access;
    const decision = await authorizer.authorize(shown);
    return decision.kind === 'allow' ? undefined : accessDenied(shown, decision.reason);
  };
  if (mode.name === '') return await firstOf(partsOf(target, request.user, 'impersonate'), refuse);
  const verb = `impersonate:${mode.name}`;
  return (
    (await refuse({ ...request, verb: `impersonate-on:${mode.name}:${request.verb}` })) ??
    (await firstOf(partsOf(target, request.user, verb), (part) => refuseOddity(part) ?? refuse(part)))
  );
}

async function firstOf<T>(
  items: Iterable<T>,
  find: (item: T) => MaybePromise<StatusError | undefined>,
): Promise<StatusError | undefined> {
  for (const item of items) {
    const found = await find(item);
    if (found) return found;
  }
  return undefined;
}

/** Identities that only the original mode can impersonate. */
function refuseOddity(access: AccessAttributes): StatusError | undefined {
  const { resource, subresource, name } = access;
  const why = resource === 'groups' ? groupOddity(name) : resource === 'userextras' && extraOddity(subresource, name);
  if (!why) return undefined;
  return accessDenied(resource === 'groups' ? access : { ...access, subresource: '', name: '' }, why);
}

function groupOddity(name: string): string | undefined {
  if (name === '') return 'impersonating the empty string group is not allowed';
  return name === 'system:masters' ? 'impersonating the system:masters group is not allowed' : undefined;
}

function extraOddity(key: string, value: string): string | undefined {
  if (key === '') return 'impersonating the empty string key in extra is not allowed';
  const [problem] = isDomainPrefixedPath(key);
  if (problem !== undefined) {
    const shown = `extra.key: Invalid value: ${JSON.stringify(key)}: ${problem}`;
    return `impersonating an invalid key in extra is not allowed: ${shown}`;
  }
  if (key !== key.toLowerCase()) {
    return `impersonating a non-lowercase key in extra is not allowed: ${JSON.stringify(key)}`;
  }
  return value === '' ? 'impersonating the empty string value in extra is not allowed' : undefined;
}

/** Each part of the identity is a resource that the user must be allowed to impersonate. */
function* partsOf(target: UserInfo, user: UserInfo, verb: string): Iterable<AccessAttributes> {
  const isPlain = verb === 'impersonate';
  const none = { subresource: '', namespace: '', path: '', version: 'v1' };
  const authentication = { user, verb, isResourceRequest: true, group: 'authentication.k8s.io', ...none };
  const base = isPlain ? { ...authentication, group: '' } : authentication;
  const node = isPlain ? undefined : nodeNameOf(target.name);
  const account = serviceAccountOf(target.name);
  if (account) yield { ...base, resource: 'serviceaccounts', ...account };
  else if (node !== undefined) yield { ...base, resource: 'nodes', name: node };
  else yield { ...base, resource: 'users', name: target.name };
  if (target.uid) yield { ...authentication, resource: 'uids', name: target.uid };
  for (const group of target.groups) yield { ...base, resource: 'groups', name: group };
  for (const [key, values] of Object.entries(target.extra ?? {})) {
    for (const value of values) yield { ...authentication, resource: 'userextras', subresource: key, name: value };
  }
}

/** The impersonated user: the attributes of its own authentication, and the requested groups. */
export function impersonated(target: UserInfo, mode: ImpersonationMode): UserInfo {
  const groups = target.groups.length > 0 ? target.groups : fixedGroups(target.name, mode);
  const standing = target.name === 'system:anonymous' ? 'system:unauthenticated' : 'system:authenticated';
  const isSettled = groups.includes(standing) || groups.includes('system:unauthenticated');
  return { ...target, groups: isSettled ? groups : [...groups, standing] };
}

function fixedGroups(name: string, mode: ImpersonationMode): readonly string[] {
  const account = serviceAccountOf(name);
  if (account) return ['system:serviceaccounts', `system:serviceaccounts:${account.namespace}`];
  return mode.name !== '' && nodeNameOf(name) !== undefined ? ['system:nodes'] : [];
}

function hasNameOnly({ uid, groups, extra }: UserInfo): boolean {
  return !uid && groups.length === 0 && Object.keys(extra ?? {}).length === 0;
}

const serviceAccountPattern = /^system:serviceaccount:([^:]+):([^:]+)$/;

function serviceAccountOf(userName: string): { namespace: string; name: string } | undefined {
  const [, namespace, name] = serviceAccountPattern.exec(userName) ?? [];
  return namespace !== undefined && name !== undefined ? { namespace, name } : undefined;
}

const nodePrefix = 'system:node:';

function nodeNameOf(userName: string): string | undefined {
  if (!userName.startsWith(nodePrefix)) return undefined;
  const name = userName.slice(nodePrefix.length);
  return isDns1123Subdomain(name).length === 0 ? name : undefined;
}

/**
 * The node of the pod that the service account token is bound to. A symbol if there is none, because it equals no name.
 */
function ownNode({ name, extra }: UserInfo): string | symbol {
  const nodes = extra?.[nodeNameExtra] ?? [];
  const [node] = nodes;
  return serviceAccountOf(name) && node !== undefined && nodes.length === 1 ? node : nowhere;
}

const nowhere = Symbol('nowhere');
