import { type EndpointSlice, refs } from '@coracle/api';
import type { InformerFactory } from '@coracle/client';
import { chooseEndpoints, type Endpoint, endpointsOf, type Topology } from '@coracle/proxy';
import type { BackendTarget } from './routes/route.js';

const byService = 'ingress-service';
const serviceOfSlice = ({ metadata }: EndpointSlice): readonly string[] => [
  `${metadata.namespace}/${metadata.labels?.['kubernetes.io/service-name'] ?? ''}`,
];

/** The endpoints of a backend instead of its service address, so that a terminating pod gets no new requests. */
export class BackendEndpoints {
  readonly #informers: InformerFactory;
  readonly #topology: Topology;

  constructor(informers: InformerFactory, topology: Topology) {
    this.#informers = informers;
    this.#topology = topology;
    informers.for(refs.endpointSlices).addIndex(byService, serviceOfSlice);
  }

  of({ service, portName }: BackendTarget): readonly Endpoint[] {
    const slices = this.#informers.for(refs.endpointSlices).byIndex(byService, service);
    const port = { portName, protocol: 'tcp' } as const;
    const everywhere = { internalLocal: false, externalLocal: false };
    return ([4, 6] as const).flatMap(
      (family) => chooseEndpoints(endpointsOf(slices, port, family), everywhere, this.#topology).cluster,
    );
  }
}
