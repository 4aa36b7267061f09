import type { Listener } from '../routes/routing-table.js';
import { type Attachment, attachRoute, namesGateway } from './attach-route.js';
import type { Gateway, GatewayClass } from './gateway-types.js';
import { type GatewayWorld, gatewayControllerName } from './gateway-world.js';
import { translateRoute } from './translate-route.js';
import { serves, type ValidatedListener, validateListeners } from './validate-listeners.js';

/** The computed state of the Gateways of this router. */
export interface GatewayPlan {
  readonly classes: readonly GatewayClass[];
  readonly gateways: readonly Gateway[];
  readonly validated: readonly ValidatedListener[];
  readonly attachments: readonly Attachment[];
  readonly listeners: readonly Listener[];
}

export function planGateways(world: GatewayWorld): GatewayPlan {
  const classes = world.classes.filter(({ spec }) => spec?.controllerName === gatewayControllerName);
  const usable = new Set(classes.filter(({ spec }) => !spec?.parametersRef).map(({ metadata }) => metadata.name));
  const gateways = world.gateways.filter(({ spec }) => usable.has(spec?.gatewayClassName));
  const validated = validateListeners(gateways, world);
  const attachments = world.routes.flatMap((route) => {
    const parents = (route.spec?.parentRefs ?? []).flatMap((parentRef) => {
      const gateway = gateways.find(({ metadata }) => namesGateway(parentRef, route, metadata));
      return gateway ? [{ parentRef, listeners: validated.filter((one) => one.gateway === gateway) }] : [];
    });
    if (parents.length === 0) return [];
    const translated = translateRoute(route, world);
    return parents.map((parent) => attachRoute({ route, translated, world, ...parent }));
  });
  const listeners = validated.filter(serves).map((one) => listenerOf(one, attachments));
  return { classes, gateways, validated, attachments, listeners };
}

function listenerOf(validated: ValidatedListener, attachments: readonly Attachment[]): Listener {
  const { listener, hostname, tls, certificates } = validated;
  return {
    port: listener.port,
    tls,
    hostname,
    certificates: certificates.map((pair) => ({ hostname, pair })),
    routes: attachments.flatMap((one) => one.listeners.get(validated) ?? []),
    kind: 'gateway',
  };
}
