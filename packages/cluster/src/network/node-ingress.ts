import { refs } from '@coracle/api';
import { Activity, type Clock, DisposableStack, type Logger, type Metrics, type Random } from '@coracle/base';
import { type Client, createInformers, type InformerFactory } from '@coracle/client';
import { BackendEndpoints, httpPort, httpsPort, IngressController } from '@coracle/ingress';
import { NodeIngressEdge, selfSignedCertificate } from '@coracle/platform-nodejs';
import { addressesOf } from './node-routes.js';

/** Ports of the node in place of 80 and 443; 0 for none. Other ports of Gateways are not mapped. */
export interface IngressPorts {
  readonly http: number;
  readonly https: number;
}

export interface NodeIngressOptions {
  readonly nodeName: string;
  readonly ports: IngressPorts;
  readonly informers: InformerFactory;
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Serves Ingresses and Gateways on this node: a port is listened on from the first object on that covers it. */
export function startIngress(options: NodeIngressOptions): AsyncDisposable {
  const { informers, nodeName, clock, ports } = options;
  const nodes = informers.for(refs.nodes);
  const endpoints = new BackendEndpoints(informers, { nodeName, zone: '' });
  const parts = new DisposableStack();
  const edge = parts.use(
    new NodeIngressEdge({
      ...options,
      endpointsOf: (target) => endpoints.of(target),
      listenPortOf: (port) => listenPortOf(port, ports),
      defaultCertificate: () => selfSignedCertificate(clock.now()),
    }),
  );
  parts.use(
    new IngressController({
      ...options,
      edge,
      activity: new Activity(),
      createInformers: () => createInformers(options),
      addresses: () => {
        const node = nodes.list().find(({ metadata }) => metadata.name === nodeName);
        return node ? addressesOf(node) : [];
      },
    }),
  );
  return parts;
}

function listenPortOf(port: number, { http, https }: IngressPorts): number | undefined {
  if (port === httpPort) return http || undefined;
  if (port === httpsPort) return https || undefined;
  return http || https ? port : undefined;
}
