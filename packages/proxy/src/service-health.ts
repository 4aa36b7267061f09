import type { EndpointSlice, Service } from '@coracle/api';
import { chooseEndpoints, type Topology } from './choose-endpoints.js';
import { endpointsOf } from './endpoint.js';
import type { ServiceHealth } from './packet-filter.js';
import { type Family, servicePorts } from './service-port.js';

/** The response of the health check port of a service; `undefined` if it has none. */
export function serviceHealth(
  service: Service,
  slices: readonly EndpointSlice[],
  { topology, families }: { readonly topology: Topology; readonly families: readonly Family[] },
): ServiceHealth | undefined {
  const port = service.spec?.externalTrafficPolicy === 'Local' ? service.spec.healthCheckNodePort : undefined;
  if (!port) return undefined;
  const { namespace = '', name = '' } = service.metadata;
  const addresses = families.flatMap((family) =>
    servicePorts(service, family)
      .flatMap((one) => chooseEndpoints(endpointsOf(slices, one, family), one, topology).local)
      .filter(({ ready }) => ready)
      .map(({ address }) => address),
  );
  return { namespace, name, port, localEndpoints: new Set(addresses).size };
}
