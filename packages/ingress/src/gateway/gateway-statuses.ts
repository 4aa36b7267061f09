import { type ConditionLike, setCondition } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import type { Attachment } from './attach-route.js';
import type {
  Condition,
  Gateway,
  GatewayClass,
  HttpRoute,
  ListenerStatus,
  RouteParentStatus,
} from './gateway-types.js';
import { gatewayControllerName } from './gateway-world.js';
import type { GatewayPlan } from './plan-gateways.js';
import { type ConditionProblem, serves, type ValidatedListener } from './validate-listeners.js';

/** External information for the statuses. */
export interface StatusView {
  /** Addresses of the router. */
  readonly addresses: readonly string[];
  /** Ports that could not be listened on. */
  readonly failedPorts: ReadonlyMap<number, string>;
  readonly now: Millis;
}

/** Supported extended features of the Gateway API. */
const features = [
  'Gateway',
  'GatewayPort8080',
  'HTTPRoute',
  'HTTPRouteBackendProtocolH2C',
  'HTTPRouteBackendProtocolWebSocket',
  'HTTPRouteBackendRequestHeaderModification',
  'HTTPRouteBackendTimeout',
  'HTTPRouteHostRewrite',
  'HTTPRouteMethodMatching',
  'HTTPRouteParentRefPort',
  'HTTPRoutePathRedirect',
  'HTTPRoutePathRewrite',
  'HTTPRoutePortRedirect',
  'HTTPRouteQueryParamMatching',
  'HTTPRouteRequestMirror',
  'HTTPRouteRequestMultipleMirrors',
  'HTTPRouteRequestPercentageMirror',
  'HTTPRouteRequestTimeout',
  'HTTPRouteResponseHeaderModification',
  'HTTPRouteSchemeRedirect',
  'ReferenceGrant',
];

type Draft = Omit<Condition, 'lastTransitionTime'>;

/** The condition of a type: true for the usual reason, or false with the reason of a problem. */
function draft(type: string, usual: string, problem: ConditionProblem | undefined): Draft {
  return problem ? { type, status: 'False', ...problem } : { type, status: 'True', reason: usual, message: '' };
}

/** Conditions of others stay. */
function merge(
  present: readonly Condition[] | undefined,
  drafts: readonly Draft[],
  { now, generation }: { readonly now: Millis; readonly generation: number | undefined },
): readonly Condition[] {
  let conditions: readonly ConditionLike[] = present ?? [];
  for (const one of drafts) {
    const next = { ...one, ...(generation !== undefined && { observedGeneration: generation }) };
    conditions = setCondition(conditions, next, now);
  }
  return conditions as readonly Condition[];
}

export function classStatus({ metadata, spec, status }: GatewayClass, { now }: StatusView): GatewayClass['status'] {
  const problem = spec?.parametersRef && {
    reason: 'InvalidParameters',
    message: 'this controller takes no parameters',
  };
  const conditions = merge(status?.conditions, [draft('Accepted', 'Accepted', problem)], {
    now,
    generation: metadata.generation,
  });
  return { ...status, conditions, supportedFeatures: features.map((name) => ({ name })) };
}

export function gatewayStatus(gateway: Gateway, plan: GatewayPlan, view: StatusView): Gateway['status'] {
  const { metadata, spec, status } = gateway;
  const own = plan.validated.filter((one) => one.gateway === gateway);
  const invalid = own.some((one) => !serves(one) || view.failedPorts.has(one.listener.port));
  const unsupported = (spec?.addresses ?? []).find(({ type, value }) => value && !isOurs(type, value, view));
  const notAccepted: ConditionProblem | undefined = unsupported && {
    reason: 'UnsupportedAddress',
    message: `the router is not reached at ${unsupported.value}`,
  };
  const accepted = draft('Accepted', 'Accepted', notAccepted);
  const drafts: Draft[] = [
    invalid && !notAccepted
      ? { ...accepted, reason: 'ListenersNotValid', message: 'some listeners are not valid' }
      : accepted,
    draft('Programmed', 'Programmed', notProgrammed(own, notAccepted, view)),
  ];
  return {
    ...status,
    addresses: notAccepted ? [] : view.addresses.map((value) => ({ type: 'IPAddress', value })),
    conditions: merge(status?.conditions, drafts, { now: view.now, generation: metadata.generation }),
    listeners: own.map((one) => listenerStatus(one, plan.attachments, view)),
  };
}

function isOurs(type = 'IPAddress', value: string, { addresses }: StatusView): boolean {
  return type === 'IPAddress' && addresses.includes(value);
}

function notProgrammed(
  own: readonly ValidatedListener[],
  notAccepted: ConditionProblem | undefined,
  { addresses, failedPorts }: StatusView,
): ConditionProblem | undefined {
  if (notAccepted) return { reason: 'Invalid', message: notAccepted.message };
  if (addresses.length === 0) return { reason: 'AddressNotAssigned', message: 'the router has no address yet' };
  const works = own.some((one) => serves(one) && !failedPorts.has(one.listener.port));
  return works ? undefined : { reason: 'Invalid', message: 'no listener is valid' };
}

function listenerStatus(
  validated: ValidatedListener,
  attachments: readonly Attachment[],
  { failedPorts, now }: StatusView,
): ListenerStatus {
  const { gateway, listener, kinds, notAccepted, conflict, unresolved } = validated;
  const present = gateway.status?.listeners?.find(({ name }) => name === listener.name);
  const busy = serves(validated) ? failedPorts.get(listener.port) : undefined;
  const refused = notAccepted ?? (busy === undefined ? undefined : { reason: 'PortUnavailable', message: busy });
  const drafts: Draft[] = [
    draft('Accepted', 'Accepted', refused ?? conflict),
    draft('Programmed', 'Programmed', programming(validated, refused)),
    draft('ResolvedRefs', 'ResolvedRefs', unresolved),
    conflict
      ? { type: 'Conflicted', status: 'True', ...conflict }
      : { type: 'Conflicted', status: 'False', reason: 'NoConflicts', message: '' },
  ];
  return {
    name: listener.name,
    supportedKinds: kinds,
    attachedRoutes: attachments.filter((one) => !one.notAccepted && one.listeners.has(validated)).length,
    conditions: merge(present?.conditions, drafts, { now, generation: gateway.metadata.generation }),
  };
}

function programming(
  validated: ValidatedListener,
  refused: ConditionProblem | undefined,
): ConditionProblem | undefined {
  if (serves(validated) && !refused) return undefined;
  const because = refused ?? validated.conflict ?? validated.unresolved;
  return { reason: 'Invalid', message: because?.message ?? 'the listener is not valid' };
}

/** The status of a route: statuses of other controllers stay. */
export function routeStatus(
  route: HttpRoute,
  attachments: readonly Attachment[],
  { now }: StatusView,
): { readonly parents: readonly RouteParentStatus[] } {
  const present = route.status?.parents ?? [];
  const others = present.filter(({ controllerName }) => controllerName !== gatewayControllerName);
  const own = attachments
    .filter((one) => one.route === route)
    .map(({ parentRef, notAccepted, unresolved, partlyInvalid }): RouteParentStatus => {
      const before = present.find(
        (one) => one.controllerName === gatewayControllerName && sameParent(one.parentRef, parentRef),
      );
      const drafts: Draft[] = [
        draft('Accepted', 'Accepted', notAccepted),
        draft('ResolvedRefs', 'ResolvedRefs', unresolved),
        ...(partlyInvalid ? [{ type: 'PartiallyInvalid', status: 'True' as const, ...partlyInvalid }] : []),
      ];
      const rest = before?.conditions.filter(({ type }) => type !== 'PartiallyInvalid' || partlyInvalid);
      const conditions = merge(rest, drafts, { now, generation: route.metadata.generation });
      return { parentRef, controllerName: gatewayControllerName, conditions };
    });
  return { parents: [...others, ...own] };
}

function sameParent(a: RouteParentStatus['parentRef'], b: RouteParentStatus['parentRef']): boolean {
  return (['group', 'kind', 'namespace', 'name', 'sectionName', 'port'] as const).every((key) => a[key] === b[key]);
}
