import { forbidden, type StatusError } from '@coracle/apimachinery';
import type { Metrics } from '@coracle/base';
import type { AccessAttributes, Authorizer } from '../authorization/authorizer.js';
import type { Filter, RequestContext } from '../handler-chain.js';

/** Lets a request pass if somebody allows it. */
export function authorize(authorizer: Authorizer, metrics: Metrics): Filter {
  const attempts = metrics.counter({
    name: 'authorization_attempts_total',
    help: 'Decisions about requests, by outcome.',
    labels: ['result'],
  });
  return (next) => (context) => {
    const wanted = accessAttributes(context);
    const decision = authorizer.authorize(wanted);
    attempts.add(1, results[decision.kind]);
    if (decision.kind !== 'allow') throw accessDenied(wanted, decision.reason);
    if (opensChannel(context)) allowCreate(authorizer, wanted);
    context.trace?.step('apiserver.authorize');
    return next(context);
  };
}

const results = {
  allow: { result: 'allowed' },
  deny: { result: 'denied' },
  'no-opinion': { result: 'no-opinion' },
} as const;

const channelSubresources: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward']);

/** WebSocket is asked for with GET, but whoever may only read must not run commands. */
function opensChannel({ info }: RequestContext): boolean {
  return info.verb === 'get' && channelSubresources.has(info.subresource) && info.resource === 'pods';
}

function allowCreate(authorizer: Authorizer, wanted: AccessAttributes): void {
  const create = { ...wanted, verb: 'create' };
  const decision = authorizer.authorize(create);
  if (decision.kind !== 'allow') throw accessDenied(create, decision.reason);
}

export function accessAttributes({ user, info }: RequestContext): AccessAttributes {
  const { verb, isResourceRequest, group, version, resource, subresource, namespace, name, path, fieldSelector } = info;
  const attributes = { user, verb, isResourceRequest, group, version, resource, subresource, namespace, name, path };
  return fieldSelector === undefined ? attributes : { ...attributes, fieldSelector };
}

/** In the words that people and tools know: `User "jane" cannot list resource "pods" in API group "" in the namespace "x"`. */
export function accessDenied(wanted: AccessAttributes, reason: string): StatusError {
  const why = reason === '' ? describe(wanted) : `${describe(wanted)}: ${reason}`;
  const { group, resource, name } = wanted;
  return forbidden({ group, resource: wanted.isResourceRequest ? resource : '' }, name, why);
}

function describe({
  user,
  verb,
  isResourceRequest,
  group,
  resource,
  subresource,
  namespace,
  path,
}: AccessAttributes): string {
  const who = `User ${JSON.stringify(user.name)} cannot ${verb}`;
  if (!isResourceRequest) return `${who} path ${JSON.stringify(path)}`;
  const full = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  return `${who} resource ${JSON.stringify(full)} in API group ${JSON.stringify(group)} ${where}`;
}
