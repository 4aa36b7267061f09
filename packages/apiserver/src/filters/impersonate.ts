import { badRequest, type StatusError } from '@coracle/apimachinery';
import { accessAttributes } from '../authorization/access-attributes.js';
import type { Authorizer } from '../authorization/authorizer.js';
import { type FeatureGates, usualFeatures } from '../features/feature-gates.js';
import type { Filter, RequestContext } from '../handler-chain.js';
import { headerValues } from '../header-values.js';
import type { UserInfo } from '../user-info.js';
import {
  constrainedModes,
  type ImpersonationMode,
  impersonated,
  plainMode,
  refuseImpersonation,
} from './impersonation-modes.js';

const extraPrefix = 'impersonate-extra-';

/** Impersonation by the `Impersonate-*` headers (`kubectl --as`), for users with the permission. */
export function impersonate(authorizer: Authorizer, features: FeatureGates = usualFeatures): Filter {
  const modes = features.isOn('ConstrainedImpersonation') ? [...constrainedModes, plainMode] : [plainMode];
  return (next) => (context) => {
    const target = impersonatedUser(context);
    if (!target) return next(context);
    return actAs(authorizer, modes, { context, target }).then((user) => {
      context.user = user;
      return next(context);
    });
  };
}

interface Attempt {
  readonly context: RequestContext;
  readonly target: UserInfo;
}

/** The first mode that allows it decides; if none does, the first mode that applies to the user gives the reason. */
async function actAs(
  authorizer: Authorizer,
  modes: readonly ImpersonationMode[],
  { context, target }: Attempt,
): Promise<UserInfo> {
  const request = accessAttributes(context);
  let first: StatusError | undefined;
  for (const mode of modes) {
    if (!mode.suits(target, context.user)) continue;
    const refusal = await refuseImpersonation(authorizer, mode, { request, target });
    if (!refusal) return impersonated(target, mode);
    first ??= refusal;
  }
  throw first;
}

function impersonatedUser({ request }: RequestContext): UserInfo | undefined {
  const { headers } = request;
  if (!speaksOfImpersonation(headers)) return undefined;
  const [name] = headerValues(request, 'impersonate-user');
  const [uid] = headerValues(request, 'impersonate-uid');
  const groups = headerValues(request, 'impersonate-group');
  const extras = Object.keys(headers).filter((header) => header.startsWith(extraPrefix));
  // Not by assignment, which would lose a key such as `__proto__`, and the check of the permission for it.
  const extra = Object.fromEntries(
    extras.map((header) => [decodeKey(header.slice(extraPrefix.length)), headerValues(request, header)]),
  );
  const hasExtra = extras.length > 0;
  const user = { name: name ?? '', ...(uid && { uid }), groups, ...(hasExtra && { extra }) };
  if (name) return user;
  if (!uid && groups.length === 0 && !hasExtra) return undefined;
  throw badRequest(`requested ${asGo(user)} without impersonating a user name`);
}

function speaksOfImpersonation(headers: RequestContext['request']['headers']): boolean {
  for (const header in headers) if (header.startsWith('impersonate-')) return true;
  return false;
}

function decodeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** The user in the format of a Go struct, as upstream prints it. */
function asGo({ name, uid = '', groups, extra }: UserInfo): string {
  const list = (items: readonly string[]) => `[]string{${items.map((item) => JSON.stringify(item)).join(', ')}}`;
  const entries = Object.entries(extra ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const fields = [
    `Name:${JSON.stringify(name)}`,
    `UID:${JSON.stringify(uid)}`,
    `Groups:${groups.length > 0 ? list(groups) : '[]string(nil)'}`,
    `Extra:${extra ? `map[string][]string{${entries.map(([key, values]) => `${JSON.stringify(key)}:${list(values)}`).join(', ')}}` : 'map[string][]string(nil)'}`,
  ];
  return `&user.DefaultInfo{${fields.join(', ')}}`;
}
