import { intersectHosts } from '../routes/host-name.js';
import type { Route } from '../routes/route.js';
import { gatewayGroup, type HttpRoute, type ParentReference } from './gateway-types.js';
import type { GatewayWorld } from './gateway-world.js';
import type { TranslatedRoute } from './translate-route.js';
import { allowsNamespace, type ConditionProblem, serves, type ValidatedListener } from './validate-listeners.js';

/** The result of one parent reference of a route. */
export interface Attachment {
  readonly route: HttpRoute;
  readonly parentRef: ParentReference;
  /** The listeners that take it, each with the routes that it serves. */
  readonly listeners: ReadonlyMap<ValidatedListener, readonly Route[]>;
  readonly notAccepted: ConditionProblem | undefined;
  readonly unresolved: ConditionProblem | undefined;
  /** Some rules are left out, the others served. */
  readonly partlyInvalid: ConditionProblem | undefined;
}

export interface Attaching {
  readonly route: HttpRoute;
  readonly parentRef: ParentReference;
  readonly translated: TranslatedRoute;
  /** Of the Gateway that the reference names. */
  readonly listeners: readonly ValidatedListener[];
  readonly world: GatewayWorld;
}

export function attachRoute({ route, parentRef, translated, listeners, world }: Attaching): Attachment {
  const { unsupported, unresolved, rules } = translated;
  const shared = { route, parentRef, unresolved };
  const refused = (reason: string, message: string): Attachment => ({
    ...shared,
    listeners: new Map(),
    notAccepted: { reason, message },
    partlyInvalid: undefined,
  });
  const named = listeners.filter(
    ({ listener }) =>
      (parentRef.sectionName === undefined || parentRef.sectionName === listener.name) &&
      (parentRef.port === undefined || parentRef.port === listener.port),
  );
  if (named.length === 0) return refused('NoMatchingParent', 'the Gateway has no such listener');
  const allowing = named.filter(
    (one) => one.kinds.length > 0 && allowsNamespace(one, route.metadata.namespace ?? '', world),
  );
  if (allowing.length === 0)
    return refused('NotAllowedByListeners', 'no listener allows routes of this kind and namespace');
  const attached = new Map<ValidatedListener, readonly Route[]>();
  for (const listener of allowing) {
    const hosts = hostsOf(route, listener);
    if (hosts.length === 0) continue;
    attached.set(
      listener,
      serves(listener) ? hosts.flatMap((hostname) => rules.map((one) => ({ ...one, hostname }))) : [],
    );
  }
  if (attached.size === 0)
    return refused('NoMatchingListenerHostname', 'no listener has a host name in common with the route');
  if (unsupported && rules.length === 0) return refused(unsupported.reason, unsupported.message);
  return { ...shared, listeners: attached, notAccepted: undefined, partlyInvalid: unsupported };
}

/** The host patterns that a route and a listener have in common. */
function hostsOf({ spec }: HttpRoute, { hostname }: ValidatedListener): string[] {
  const hostnames = spec?.hostnames ?? [];
  if (hostnames.length === 0) return [hostname];
  return hostnames.flatMap((one) => intersectHosts(hostname, one.toLowerCase()) ?? []);
}

/** Whether a reference names a Gateway. */
export function namesGateway(
  { group = gatewayGroup, kind = 'Gateway', namespace, name }: ParentReference,
  { metadata }: HttpRoute,
  gateway: { readonly namespace?: string; readonly name?: string },
): boolean {
  const where = namespace ?? metadata.namespace;
  return group === gatewayGroup && kind === 'Gateway' && name === gateway.name && where === gateway.namespace;
}
