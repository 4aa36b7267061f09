import type { networkingv1, Secret, Service } from '@coracle/api';
import type { GatewayWorld } from './gateway/gateway-world.js';
import { type GatewayPlan, planGateways } from './gateway/plan-gateways.js';
import { ingressListeners } from './ingress/ingress-listeners.js';
import { ingressRoutes } from './ingress/ingress-routes.js';
import { ownIngresses } from './ingress/own-ingresses.js';
import { RoutingTable } from './routes/routing-table.js';

/** Everything that routing depends on. */
export interface RoutingWorld {
  readonly ingresses: readonly networkingv1.Ingress[];
  readonly ingressClasses: readonly networkingv1.IngressClass[];
  serviceOf(namespace: string, name: string): Service | undefined;
  secretOf(namespace: string, name: string): Secret | undefined;
  /** If the CRDs of the Gateway API are installed. */
  readonly gateway: GatewayWorld | undefined;
}

export interface RoutingPlan {
  readonly table: RoutingTable;
  readonly ingresses: readonly networkingv1.Ingress[];
  readonly gateways: GatewayPlan | undefined;
}

/** Computes the routing table. Pure. */
export function planRouting(world: RoutingWorld): RoutingPlan {
  const ingresses = ownIngresses(world.ingresses, world.ingressClasses);
  const routes = ingresses.flatMap((ingress) => ingressRoutes(ingress, world.serviceOf));
  const gateways = world.gateway && planGateways(world.gateway);
  const listeners = [...ingressListeners(ingresses, routes, world.secretOf), ...(gateways?.listeners ?? [])];
  return { table: new RoutingTable(listeners), ingresses, gateways };
}
