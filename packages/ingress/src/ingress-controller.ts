import { refs } from '@coracle/api';
import { isAlreadyExists, isConflict, isNotFound, type KubeObject, type ResourceRef } from '@coracle/apimachinery';
import { type Activity, aborted, type Clock, type Logger, messageOf } from '@coracle/base';
import { type Client, type InformerFactory, SyncRunner } from '@coracle/client';
import { type IngressEdge, noEdge } from './edge.js';
import { FollowedGateways, type GatewayObjects } from './gateway/follow-gateways.js';
import { gatewayRefs } from './gateway/gateway-types.js';
import { gatewayClassName, ownGatewayClass } from './gateway/gateway-world.js';
import { ownIngressClass } from './ingress/own-ingresses.js';
import { planRouting, type RoutingWorld } from './plan-routing.js';
import { planStatuses, type StatusWrite } from './plan-statuses.js';
import { RoutingTable } from './routes/routing-table.js';

export interface IngressControllerOptions {
  readonly informers: InformerFactory;
  /** For the kinds of the Gateway API, once their CRDs are installed. */
  readonly createInformers: () => InformerFactory;
  readonly client: Client;
  readonly edge?: IngressEdge;
  /** Addresses of the router. */
  readonly addresses: () => readonly string[];
  readonly clock: Clock;
  readonly logger: Logger;
  readonly activity: Activity;
}

const emptyTable = new RoutingTable([]);
const tlsSecrets = { fieldSelector: 'type=kubernetes.io/tls' };

/**
 * Updates the routing table and the statuses of objects after changes of Ingresses, Gateways and the objects that they
 * refer to.
 */
export class IngressController implements AsyncDisposable {
  readonly #options: IngressControllerOptions;
  readonly #handlers: Disposable[] = [];
  readonly #gateways: FollowedGateways;
  readonly #runner: SyncRunner;
  #hasGatewayClass = false;
  #table = emptyTable;
  /** Whether the objects that routes refer to are watched: from the first route on. */
  #follows = false;

  constructor(options: IngressControllerOptions) {
    this.#options = options;
    const { informers, logger } = options;
    this.#runner = new SyncRunner({
      ...options,
      sync: (signal) => this.#sync(signal),
      onError: (error) => logger.error('failed to sync HTTP routes', { error: messageOf(error) }),
      backoff: { initialMs: 200, maxMs: 30_000 },
    });
    const wake = () => this.#runner.wake();
    this.#gateways = new FollowedGateways({ ...options, wake });
    this.#handlers.push(informers.for(refs.ingressClasses).addHandler(wake));
    this.#handlers.push(informers.for(refs.ingresses).addHandler(wake));
  }

  /** The current routing table. */
  get table(): RoutingTable {
    return this.#table;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const handler of this.#handlers) handler[Symbol.dispose]();
    await this.#runner[Symbol.asyncDispose]();
    await this.#gateways[Symbol.asyncDispose]();
  }

  async #sync(signal: AbortSignal): Promise<void> {
    const { informers, edge = noEdge, addresses, clock } = this.#options;
    const gateways = this.#gateways.objects();
    if (gateways) await this.#ensureGatewayClass(gateways);
    const hasObjects = gateways !== undefined || informers.for(refs.ingresses).list().length > 0;
    if (hasObjects) await this.#follow(signal);
    if (!this.#follows || signal.aborted) return;
    const plan = planRouting(this.#world(gateways));
    this.#table = plan.table;
    const failedPorts = await edge.serve(plan.table);
    const view = { addresses: addresses(), failedPorts, now: clock.now() };
    await this.#write(planStatuses(plan, gateways?.routes ?? [], view));
  }

  async #follow(signal: AbortSignal): Promise<void> {
    if (this.#follows) return;
    this.#follows = true;
    const { informers } = this.#options;
    const wake = () => this.#runner.wake();
    const handlers = [
      informers.for(refs.services).addHandler(wake),
      informers.for(refs.secrets, tlsSecrets).addHandler(wake),
      informers.for(refs.namespaces).addHandler(wake),
      informers.for(refs.nodes).addHandler((event) => {
        // Nodes update their status all the time; only their addresses matter.
        if (event.type !== 'updated' || event.previous.status?.addresses !== event.object.status?.addresses) wake();
      }),
    ];
    this.#handlers.push(...handlers);
    informers.for(refs.endpointSlices);
    await Promise.race([informers.synced(), aborted(signal)]);
  }

  #world(gateways: GatewayObjects | undefined): RoutingWorld {
    const { informers } = this.#options;
    const shared = {
      serviceOf: (namespace: string, name: string) => informers.for(refs.services).get(`${namespace}/${name}`),
      secretOf: (namespace: string, name: string) =>
        informers.for(refs.secrets, tlsSecrets).get(`${namespace}/${name}`),
      namespaceOf: (name: string) => informers.for(refs.namespaces).get(name),
    };
    return {
      ...shared,
      ingresses: informers.for(refs.ingresses).list(),
      ingressClasses: informers.for(refs.ingressClasses).list(),
      gateway: gateways && { ...shared, ...gateways },
    };
  }

  /** Once: if an administrator deletes it, it comes back at the next start. */
  async #ensureGatewayClass({ classes }: GatewayObjects): Promise<void> {
    if (this.#hasGatewayClass) return;
    if (!classes.some(({ metadata }) => metadata.name === gatewayClassName))
      await createOnce(this.#options.client, gatewayRefs.gatewayClasses, ownGatewayClass());
    this.#hasGatewayClass = true;
  }

  async #write(writes: readonly StatusWrite[]): Promise<void> {
    for (const { ref, object } of writes) {
      try {
        await this.#options.client.resource(ref, object.metadata.namespace).updateStatus(object);
      } catch (error) {
        // The informer delivers a changed or deleted object again.
        if (!isConflict(error) && !isNotFound(error)) throw error;
      }
    }
  }
}

/** Creates the ingress class of this router, unless it exists. */
export function ensureIngressClass(client: Client): Promise<void> {
  return createOnce(client, refs.ingressClasses, ownIngressClass());
}

async function createOnce<T extends KubeObject>(client: Client, ref: ResourceRef<T>, object: T): Promise<void> {
  try {
    await client.resource(ref).create(object);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
