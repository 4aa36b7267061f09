import type { Listener } from '../routes/routing-table.js';
import { type Attachment, attachRoute, namesGateway } from './attach-route.js';
import type { Gateway, GatewayClass } from './gateway-types.js';
import { type GatewayWorld, gatewayControllerName } from './gateway-world.js';
import { type JudgedListener, judgeListeners, serves } from './judge-listeners.js';
import { translateRoute } from './translate-route.js';

/** What the Gateways of this router come to. */
export interface GatewayPlan {
  readonly classes: readonly GatewayClass[];
  readonly gateways: readonly Gateway[];
  readonly judged: readonly JudgedListener[];
  readonly attachments: readonly Attachment[];
  readonly listeners: readonly Listener[];
}

export function planGateways(world: GatewayWorld): GatewayPlan {
  const classes = world.classes.filter(({ spec }) => spec?.controllerName === gatewayControllerName);
  const usable = new Set(classes.filter(({ spec }) => !spec?.parametersRef).map(({ metadata }) => metadata.name));
  const gateways = world.gateways.filter(({ spec }) => usable.has(spec?.gatewayClassName));
  const judged = judgeListeners(gateways, world);
  const attachments = world.routes.flatMap((route) => {
    const parents = (route.spec?.parentRefs ?? []).flatMap((parentRef) => {
      const gateway = gateways.find(({ metadata }) => namesGateway(parentRef, route, metadata));
      return gateway ? [{ parentRef, listeners: judged.filter((one) => one.gateway === gateway) }] : [];
    });
    if (parents.length === 0) return [];
    const translated = translateRoute(route, world);
    return parents.map((parent) => attachRoute({ route, translated, world, ...parent }));
  });
  const listeners = judged.filter(serves).map((one) => listenerOf(one, attachments));
  return { classes, gateways, judged, attachments, listeners };
}

function listenerOf(judged: JudgedListener, attachments: readonly Attachment[]): Listener {
  const { listener, hostname, tls, certificates } = judged;
  return {
    port: listener.port,
    tls,
    hostname,
    certificates: certificates.map((pair) => ({ hostname, pair })),
    routes: attachments.flatMap((one) => one.listeners.get(judged) ?? []),
    kind: 'gateway',
  };
}
