import { forbidden, type StatusError } from '@coracle/apimachinery';
import { andThen, type MaybePromise, type Metrics } from '@coracle/base';
import { accessAttributes } from '../authorization/access-attributes.js';
import type { AccessAttributes, Authorizer, Decision } from '../authorization/authorizer.js';
import type { Filter, RequestContext } from '../handler-chain.js';

/** Passes a request on if the authorizer allows it, and answers 403 otherwise. */
export function authorize(authorizer: Authorizer, metrics: Metrics): Filter {
  const attempts = metrics.counter({
    name: 'authorization_attempts_total',
    help: 'Decisions about requests, by outcome.',
    labels: ['result'],
  });
  return (next) => (context) => {
    const attributes = accessAttributes(context);
    const check = (decision: Decision) => {
      attempts.add(1, results[decision.kind]);
      context.audit?.annotate('authorization.k8s.io/decision', decision.kind === 'allow' ? 'allow' : 'forbid');
      context.audit?.annotate('authorization.k8s.io/reason', decision.reason);
      if (decision.kind !== 'allow') throw accessDenied(attributes, decision.reason);
      return opensChannel(context) ? requireAccess(authorizer, { ...attributes, verb: 'create' }) : undefined;
    };
    const serve = () => {
      context.trace?.step('apiserver.authorize');
      return next(context);
    };
    const checked = andThen(authorizer.authorize(attributes), check);
    return checked instanceof Promise ? checked.then(serve) : serve();
  };
}

const results = {
  allow: { result: 'allowed' },
  deny: { result: 'denied' },
  'no-opinion': { result: 'no-opinion' },
} as const;

const channelSubresources: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward']);

/** WebSocket is requested with GET, but a user who may only read must not run commands. */
function opensChannel({ info }: RequestContext): boolean {
  return info.verb === 'get' && channelSubresources.has(info.subresource) && info.resource === 'pods';
}

function requireAccess(authorizer: Authorizer, attributes: AccessAttributes): MaybePromise<void> {
  return andThen(authorizer.authorize(attributes), (decision) => {
    if (decision.kind !== 'allow') throw accessDenied(attributes, decision.reason);
  });
}

/**
 * With upstream's message, which tools match: `User "jane" cannot list resource "pods" in API group "" in the namespace
 * "x"`.
 */
export function accessDenied(attributes: AccessAttributes, reason: string): StatusError {
  const why = reason === '' ? describe(attributes) : `${describe(attributes)}: ${reason}`;
  const { group, resource, name } = attributes;
  return forbidden({ group, resource: attributes.isResourceRequest ? resource : '' }, name, why);
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
