import { type networkingv1, refs } from '@coracle/api';
import type { KubeObject, ResourceRef } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import { classStatus, gatewayStatus, routeStatus, type StatusView } from './gateway/gateway-statuses.js';
import { gatewayRefs, type HttpRoute } from './gateway/gateway-types.js';
import { gatewayControllerName } from './gateway/gateway-world.js';
import type { GatewayPlan } from './gateway/plan-gateways.js';
import { httpPort } from './ingress/ingress-listeners.js';
import type { RoutingPlan } from './plan-routing.js';

export interface StatusWrite {
  readonly ref: ResourceRef<KubeObject>;
  /** With its new status. */
  readonly object: KubeObject;
}

/** The statuses that are not as they should be. */
export function planStatuses(
  { ingresses, gateways }: RoutingPlan,
  routes: readonly HttpRoute[],
  view: StatusView,
): StatusWrite[] {
  const writes = ingresses.map((ingress) => write(refs.ingresses, ingress, ingressStatus(view)));
  return [...writes, ...(gateways ? gatewayWrites(gateways, routes, view) : [])].flatMap((one) => one ?? []);
}

function ingressStatus({ addresses, failedPorts }: StatusView): networkingv1.IngressStatus {
  const reached = failedPorts.has(httpPort) ? [] : addresses;
  return { loadBalancer: reached.length > 0 ? { ingress: reached.map((ip) => ({ ip })) } : {} };
}

function gatewayWrites(plan: GatewayPlan, routes: readonly HttpRoute[], view: StatusView): (StatusWrite | undefined)[] {
  const attached = new Set(plan.attachments.map(({ route }) => route));
  const hasStatus = ({ status }: HttpRoute) =>
    (status?.parents ?? []).some(({ controllerName }) => controllerName === gatewayControllerName);
  return [
    ...plan.classes.map((one) => write(gatewayRefs.gatewayClasses, one, classStatus(one, view))),
    ...plan.gateways.map((one) => write(gatewayRefs.gateways, one, gatewayStatus(one, plan, view))),
    ...routes
      .filter((one) => attached.has(one) || hasStatus(one))
      .map((one) => write(gatewayRefs.httpRoutes, one, routeStatus(one, plan.attachments, view))),
  ];
}

function write<T extends KubeObject & { readonly status?: unknown }>(
  ref: ResourceRef<T>,
  object: T,
  status: T['status'],
): StatusWrite | undefined {
  if (deepEqual(status ?? {}, object.status ?? {})) return undefined;
  return { ref: ref as ResourceRef<KubeObject>, object: { ...object, status } as KubeObject };
}
