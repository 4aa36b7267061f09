import { type EndpointSlice, refs, type Service } from '@coracle/api';
import { notFound, serviceUnavailable } from '@coracle/apimachinery';
import { type Random, randomInt } from '@coracle/base';
import type { ObjectReader } from '../object-reader.js';
import type { ServiceDestination } from './destination.js';

export interface ServiceSource {
  readonly objects: ObjectReader;
  readonly random: Random;
}

export type Endpoint = NonNullable<EndpointSlice['endpoints']>[number];

export interface EndpointAddress {
  readonly host: string;
  readonly port: number;
}

/** Resolves the address of a service: any of its ready endpoints, or its external name. */
export function resolveService(
  { objects, random }: ServiceSource,
  { namespace, name, port }: Pick<ServiceDestination, 'namespace' | 'name' | 'port'>,
): EndpointAddress {
  const service = objects.get(refs.services, namespace, name);
  if (!service) throw notFound(refs.services, name);
  const { type, externalName = '' } = service.spec ?? {};
  if (type === 'ExternalName') return { host: externalName, port };
  const found = service.spec?.ports?.find((one) => one.port === port);
  if (!found) throw serviceUnavailable(`no service port ${port} found for service ${JSON.stringify(name)}`);
  return chooseEndpoint(
    readyEndpoints({ objects, service, portName: found.name ?? '', isEligible: () => true }),
    random,
    name,
  );
}

/** Selects one at random. */
export function chooseEndpoint(
  endpoints: readonly EndpointAddress[],
  random: Random,
  service: string,
): EndpointAddress {
  const chosen = endpoints[randomInt(random, endpoints.length)];
  if (!chosen) throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(service)}`);
  return chosen;
}

export interface EndpointQuery {
  readonly objects: ObjectReader;
  readonly service: Service;
  readonly portName: string;
  readonly isEligible: (endpoint: Endpoint) => boolean;
}

/** The endpoints of a service that are ready, at the port of that name. */
export function readyEndpoints({ objects, service, portName, isEligible }: EndpointQuery): EndpointAddress[] {
  return slicesOf(objects, service).flatMap((slice) => addressesIn(slice, portName, isEligible));
}

export function slicesOf(objects: ObjectReader, { metadata: { namespace = '', name = '' } }: Service): EndpointSlice[] {
  return objects
    .list(refs.endpointSlices, namespace)
    .filter(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === name);
}

/** A slice that has no ports or no endpoints has `null` there. */
function addressesIn(
  { endpoints, ports }: EndpointSlice,
  portName: string,
  isEligible: (endpoint: Endpoint) => boolean,
): EndpointAddress[] {
  const port = ports?.find(({ name = '' }) => name === portName)?.port;
  if (port === undefined) return [];
  return (endpoints ?? [])
    .filter((endpoint) => endpoint.conditions?.ready !== false && isEligible(endpoint))
    .flatMap(({ addresses }) => addresses.slice(0, 1).map((host) => ({ host, port })));
}
