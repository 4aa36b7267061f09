import { refs } from '@coracle/api';
import type { KubeObject } from '@coracle/apimachinery';
import type { ServerParts } from '../registry/subresource.js';
import { ensureObjects, type WantedObject } from './bootstrap-objects.js';

export interface KubernetesServiceOptions {
  /** Where pods reach this server. */
  readonly advertiseAddress: string;
  readonly securePort: number;
  /** The first address of the service range. */
  readonly clusterIp: string;
}

const servicePort = 443;

/** The service `default/kubernetes`, by which pods find the API server, with this server behind it. */
export async function ensureKubernetesService(parts: ServerParts, options: KubernetesServiceOptions): Promise<void> {
  await ensureObjects(parts, [service(options)]);
  await Promise.all([
    place(parts, endpoints(options), 'subsets'),
    place(parts, endpointSlice(options), 'endpoints', 'ports'),
  ]);
}

/** Makes the object, or brings these fields of it up to date. */
async function place(parts: ServerParts, wanted: WantedObject, ...fields: string[]): Promise<void> {
  const { ref, object } = wanted;
  const { namespace = '', name = '' } = object.metadata;
  if (!parts.objects.get(ref, namespace, name)) {
    await ensureObjects(parts, [wanted]);
    return;
  }
  const values = object as unknown as Record<string, unknown>;
  await parts.writer.update<KubeObject>(ref, namespace, name, (current) => ({
    ...current,
    ...Object.fromEntries(fields.map((field) => [field, values[field]])),
  }));
}

const metadata = { name: 'kubernetes', namespace: 'default' };

function service({ clusterIp, securePort }: KubernetesServiceOptions): WantedObject {
  const object = {
    metadata: { ...metadata, labels: { provider: 'kubernetes', component: 'apiserver' } },
    spec: {
      type: 'ClusterIP',
      clusterIP: clusterIp,
      clusterIPs: [clusterIp],
      sessionAffinity: 'None',
      ports: [{ name: 'https', protocol: 'TCP', port: servicePort, targetPort: securePort }],
    },
  };
  return { ref: refs.services, object: object as KubeObject };
}

function endpoints({ advertiseAddress, securePort }: KubernetesServiceOptions): WantedObject {
  const object = {
    metadata: { ...metadata, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
    subsets: [{ addresses: [{ ip: advertiseAddress }], ports: [{ name: 'https', port: securePort, protocol: 'TCP' }] }],
  };
  return { ref: refs.endpoints, object: object as KubeObject };
}

function endpointSlice({ advertiseAddress, securePort }: KubernetesServiceOptions): WantedObject {
  const object = {
    metadata: { ...metadata, labels: { 'kubernetes.io/service-name': 'kubernetes' } },
    addressType: advertiseAddress.includes(':') ? 'IPv6' : 'IPv4',
    endpoints: [{ addresses: [advertiseAddress], conditions: { ready: true } }],
    ports: [{ name: 'https', port: securePort, protocol: 'TCP' }],
  };
  return { ref: refs.endpointSlices, object: object as KubeObject };
}
