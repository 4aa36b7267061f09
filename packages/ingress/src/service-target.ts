import type { Service } from '@coracle/api';
import type { BackendFailure, BackendTarget } from './routes/route.js';

type ServicePort = NonNullable<NonNullable<Service['spec']>['ports']>[number];

/** The port of a service, by its number or its name, as requests are led to it. */
export function serviceTarget(service: Service, port: { readonly number?: number; readonly name?: string }) {
  const ports = service.spec?.ports ?? [];
  const found = ports.find((one) => (port.name ? one.name === port.name : one.port === port.number));
  return found && targetOf(service, found);
}

function targetOf({ metadata, spec }: Service, port: ServicePort): BackendTarget | BackendFailure {
  const service = `${metadata.namespace}/${metadata.name}`;
  if (spec?.type === 'ExternalName')
    return { status: 503, reason: `service ${service} is a name of another host: it has no endpoints` };
  const protocol = port.appProtocol === 'kubernetes.io/h2c' ? 'h2c' : 'http';
  return { service, portName: port.name ?? '', protocol };
}
