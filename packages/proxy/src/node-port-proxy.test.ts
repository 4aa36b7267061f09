import type { EndpointSlice, Service } from '@coracle/api';
import { expect, test } from 'vitest';
import { forwardedPorts } from './node-port-proxy.js';

const service = (spec: Service['spec']): Service => ({
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    type: 'NodePort',
    clusterIP: '10.96.0.9',
    clusterIPs: ['10.96.0.9'],
    ports: [{ port: 80, nodePort: 30_080, protocol: 'TCP' }],
    ...spec,
  },
});
const slice = (...endpoints: NonNullable<EndpointSlice['endpoints']>): EndpointSlice => ({
  metadata: { name: 'web-1', namespace: 'default', labels: { 'kubernetes.io/service-name': 'web' } },
  addressType: 'IPv4',
  ports: [{ name: '', port: 8080, protocol: 'TCP' }],
  endpoints,
});
const here = { addresses: ['10.0.0.1'], nodeName: 'here' };
const there = { addresses: ['10.0.0.2'], nodeName: 'there' };
const topology = { nodeName: 'here', zone: '' };

test.each<[string, Service['spec'], EndpointSlice, string[]]>([
  ['all endpoints of a node port', {}, slice(here, there), ['tcp/30080 10.0.0.1:8080 10.0.0.2:8080']],
  [
    'those of the node with the local policy',
    { externalTrafficPolicy: 'Local' },
    slice(here, there),
    ['tcp/30080 10.0.0.1:8080'],
  ],
  ['nothing without endpoints, so that it refuses', {}, slice(), []],
  ['nothing for a cluster address alone', { type: 'ClusterIP' }, slice(here), []],
  [
    'one that terminates, if there is no other',
    {},
    slice({ ...here, conditions: { ready: false, serving: true, terminating: true } }),
    ['tcp/30080 10.0.0.1:8080'],
  ],
])('%s', (_, spec, slices, expected) => {
  const ports = forwardedPorts(service(spec), [slices], topology);
  expect(
    ports.map(
      (one) =>
        `${one.protocol}/${one.port} ${one.endpoints.map(({ address, port }) => `${address}:${port}`).join(' ')}`,
    ),
  ).toEqual(expected);
});
