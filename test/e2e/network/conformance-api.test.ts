import { refs } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type ApiCase, tryApiOperations } from '../api-operations.js';

const namespace = 'default';

const generateName = 'e2e-example-';
const lastTransitionTime = '2026-01-01T00:00:00Z';
const condition = { type: 'PatchedStatus', status: 'True', reason: 'E2E', message: 'set', lastTransitionTime };
const cases: readonly ApiCase[] = [
  {
    ref: refs.endpointSlices,
    make: () => ({
      metadata: { generateName },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['1.2.3.4', '5.6.7.8'] }, { addresses: ['2.2.3.4', '6.6.7.8'] }],
    }),
  },
  {
    ref: refs.endpoints,
    make: (i) => ({
      metadata: { name: `e2e-${i}` },
      subsets: [{ addresses: [{ ip: '10.0.0.24' }], ports: [{ port: 80 }] }],
    }),
  },
  {
    ref: refs.ingresses,
    make: () => ({
      metadata: { generateName },
      spec: { defaultBackend: { service: { name: 'default-backend', port: { number: 80 } } } },
    }),
    status: { loadBalancer: { ingress: [{ ip: '169.1.1.1' }] } },
  },
  {
    ref: refs.ingressClasses,
    make: (i) => ({ metadata: { name: `e2e-${i}` }, spec: { controller: 'example.com/controller' } }),
  },
  {
    ref: refs.ipAddresses,
    make: (i) => ({
      metadata: { name: `192.168.77.${i + 1}` },
      spec: { parentRef: { group: '', resource: 'services', namespace, name: 'foo' } },
    }),
  },
  {
    ref: refs.serviceCIDRs,
    statusKeepsMetadata: true,
    make: (i) => ({ metadata: { generateName }, spec: { cidrs: [`10.196.${i}.0/24`] } }),
    status: { conditions: [condition] },
  },
  {
    ref: refs.services,
    make: (i) => ({ metadata: { name: `e2e-svc-${i}` }, spec: { type: 'LoadBalancer', ports: [{ port: 8001 + i }] } }),
    status: { loadBalancer: { ingress: [{ ip: '203.0.113.1', ipMode: 'VIP' }] }, conditions: [condition] },
  },
];

/** The steps of upstream's conformance tests of the network's resources: API operations, the status among them. */
describe('resources of the network as the conformance tests use them', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 0, seed: 1 });
  });
  afterAll(() => cluster?.stop());

  test.each(cases)('should support $ref.resource API operations', (one) => tryApiOperations(cluster, one));
});
