import { refs, type Service } from '@coracle/api';
import { messageOf } from '@coracle/base';
import type { ObjectReader } from '../object-reader.js';
import { urlOf } from '../outbound/destination.js';
import type { Outbound } from '../outbound/outbound.js';
import { readyEndpoints, slicesOf } from '../outbound/resolve-service.js';
import type { RemoteVersion } from './api-service-table.js';
import { userHeaders } from './proxy-request.js';

/** Whether a group version is available, and why not. */
export interface Availability {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

export const localAvailability: Availability = {
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
};

const passed: Availability = { status: 'True', reason: 'Passed', message: 'all checks passed' };

/** The problem with the service itself, before a request is sent; `undefined` if there is none. */
function serviceProblem(
  objects: ObjectReader,
  { namespace, name, port }: RemoteVersion['destination'],
): Availability | undefined {
  const shown = `service/${name} in ${JSON.stringify(namespace)}`;
  const problem = (reason: string, message: string): Availability => ({ status: 'False', reason, message });
  const service: Service | undefined = objects.get(refs.services, namespace, name);
  if (!service) return problem('ServiceNotFound', `${shown} is not present`);
  if (service.spec?.type === 'ExternalName') return undefined;
  const found = service.spec?.ports?.find((one) => one.port === port);
  if (!found) return problem('ServicePortError', `${shown} is not listening on port ${port}`);
  if (slicesOf(objects, service).length === 0)
    return problem('EndpointsNotFound', `cannot find endpointslices for ${shown}`);
  const portName = found.name ?? '';
  const endpoints = readyEndpoints({ objects, service, portName, isEligible: () => true });
  if (endpoints.length > 0) return undefined;
  return problem(
    'MissingEndpoints',
    `endpointslices for ${shown} have no addresses with port name ${JSON.stringify(portName)}`,
  );
}

/** The user of the server's own requests. */
const aggregator = { name: 'system:kube-aggregator', groups: ['system:masters'] };
const bounds = { timeoutMs: 5_000, maxBytes: 16 * 1024 * 1024 };

export interface Checked {
  readonly availability: Availability;
  /** The resources that the server reported: an `APIResourceList`. */
  readonly document?: unknown;
}

/** Requests the discovery document of a server, which is available if it responds. */
export async function checkRemote(outbound: Outbound, objects: ObjectReader, remote: RemoteVersion): Promise<Checked> {
  const { destination, group, version } = remote;
  const problem = outbound.isRegistered(destination) ? undefined : serviceProblem(objects, destination);
  if (problem) return { availability: problem };
  const path = `/apis/${group}/${version}`;
  const url = `${urlOf(destination)}${path}`;
  const fail = (why: string): Checked => ({
    availability: {
      status: 'False',
      reason: 'FailedDiscoveryCheck',
      message: `failing or missing response from ${url}: ${why}`,
    },
  });
  const headers = { accept: 'application/json', ...userHeaders(aggregator) };
  try {
    const request = { method: 'GET', path, query: '', headers };
    const { status, value } = await outbound.askForJson(destination, request, bounds);
    if (status < 200 || status >= 300) return fail(`bad status from ${url}: ${status}`);
    return { availability: passed, document: value };
  } catch (error) {
    return fail(messageOf(error));
  }
}
