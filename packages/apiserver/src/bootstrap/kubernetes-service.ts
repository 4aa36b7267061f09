import { refs } from '@coracle/api';
import type { KubeObject } from '@coracle/apimachinery';
import type { WantedObject } from '../registry/wanted-object.js';
import type { Needs } from '../server-parts.js';
import { ensureObjects } from './bootstrap-objects.js';

/** Where pods reach this server. */
export interface ServerAddress {
  /** Absent if there is none beyond this machine: no endpoint may be a loopback address. */
  readonly host?: string;
  readonly port: number;
}

const servicePort = 443;
/** Until the listening address is known, if there is one. */
const usualPort = 6443;

/** Settings of the service. */
export interface KubernetesService {
  readonly clusterIp: string;
  /** If given, nodes let the server be reached at this port of theirs: `--kubernetes-service-node-port`. */
  readonly nodePort?: number | undefined;
}

/** Makes the service `default/kubernetes`, by which pods find the API server, if it is missing. */
export async function ensureKubernetesService(
  parts: Needs<'objects' | 'writer'>,
  settings: KubernetesService,
  port = usualPort,
): Promise<void> {
  await ensureObjects(parts, [service(settings, port)]);
}

/** Brings its type and its ports in order, which is done when a server starts: what people change later stays. */
export async function correctKubernetesService(
  parts: Needs<'objects' | 'writer'>,
  { nodePort }: KubernetesService,
  port: number,
): Promise<void> {
  await parts.writer.update(refs.services, metadata.namespace, metadata.name, (current) => ({
    ...current,
    spec: { ...current.spec, type: serviceType(nodePort), ports: servicePorts(port, nodePort) },
  }));
}

/** Sets the servers as endpoints of the service. An empty list changes nothing: that is never intended. */
export async function announceServers(
  parts: Needs<'objects' | 'writer'>,
  hosts: readonly string[],
  port: number,
): Promise<void> {
  if (hosts.length === 0) return;
  await Promise.all([
    place(parts, endpoints(hosts, port), 'subsets'),
    place(parts, endpointSlice(hosts, port), 'endpoints', 'ports'),
  ]);
}

/** Makes the object, or brings these fields of it up to date. */
async function place(
  parts: Needs<'objects' | 'writer'>,
  bootstrapObject: WantedObject,
  ...fields: string[]
): Promise<void> {
  const { ref, object } = bootstrapObject;
  const { namespace = '', name = '' } = object.metadata;
  if (!parts.objects.get(ref, namespace, name)) {
    await ensureObjects(parts, [bootstrapObject]);
    return;
  }
  await parts.writer.update<KubeObject>(ref, namespace, name, (current) => ({
    ...current,
    ...Object.fromEntries(Object.entries(object).filter(([field]) => fields.includes(field))),
  }));
}

const metadata = { name: 'kubernetes', namespace: 'default' };

function serviceType(nodePort: number | undefined): 'NodePort' | 'ClusterIP' {
  return nodePort ? 'NodePort' : 'ClusterIP';
}

function servicePorts(targetPort: number, nodePort: number | undefined) {
  return [{ name: 'https', protocol: 'TCP', port: servicePort, targetPort, ...(nodePort && { nodePort }) }];
}

function service({ clusterIp, nodePort }: KubernetesService, port: number): WantedObject {
  const object = {
    metadata: { ...metadata, labels: { provider: 'kubernetes', component: 'apiserver' } },
    spec: {
      type: serviceType(nodePort),
      clusterIP: clusterIp,
      clusterIPs: [clusterIp],
      sessionAffinity: 'None',
      ports: servicePorts(port, nodePort),
    },
  };
  return { ref: refs.services, object: object as KubeObject };
}

function endpoints(hosts: readonly string[], port: number): WantedObject {
  const object = {
    metadata: { ...metadata, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
    subsets: [{ addresses: hosts.map((ip) => ({ ip })), ports: [{ name: 'https', port, protocol: 'TCP' }] }],
  };
  return { ref: refs.endpoints, object: object as KubeObject };
}

function endpointSlice(hosts: readonly string[], port: number): WantedObject {
  const object = {
    metadata: { ...metadata, labels: { 'kubernetes.io/service-name': 'kubernetes' } },
    addressType: hosts[0]?.includes(':') ? 'IPv6' : 'IPv4',
    endpoints: hosts.map((ip) => ({ addresses: [ip], conditions: { ready: true } })),
    ports: [{ name: 'https', port, protocol: 'TCP' }],
  };
  return { ref: refs.endpointSlices, object: object as KubeObject };
}
