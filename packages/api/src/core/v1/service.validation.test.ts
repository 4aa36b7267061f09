import { describe, expect, test } from 'vitest';
import { type Changes, problemsOnCreate, problemsOnUpdate, withDefaults } from '../../rules.fixture.js';

const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web' },
  spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 80 }] },
};

describe('defaults', () => {
  test.each<[string, Changes, object]>([
    [
      'a plain service is reachable within the cluster',
      {},
      { type: 'ClusterIP', sessionAffinity: 'None', internalTrafficPolicy: 'Cluster' },
    ],
    ['outside traffic goes to every node', { 'spec.type': 'NodePort' }, { externalTrafficPolicy: 'Cluster' }],
    ['a load balancer uses node ports', { 'spec.type': 'LoadBalancer' }, { allocateLoadBalancerNodePorts: true }],
    [
      'a client keeps its pod for three hours',
      { 'spec.sessionAffinity': 'ClientIP' },
      { sessionAffinityConfig: { clientIP: { timeoutSeconds: 10800 } } },
    ],
  ])('%s', (_sentence, changes, want) => {
    expect(withDefaults(service, changes).spec).toMatchObject(want);
  });

  test('a port leads to the same port of the pod, over TCP', () => {
    expect(withDefaults(service).spec.ports).toEqual([{ name: 'http', port: 80, protocol: 'TCP', targetPort: 80 }]);
  });
});

describe('creation', () => {
  test.each<[string, Changes, string[]]>([
    ['a service has ports', { 'spec.ports': [] }, ['spec.ports: Required value']],
    ['a headless one may have none', { 'spec.ports': [], 'spec.clusterIP': 'None', 'spec.clusterIPs': ['None'] }, []],
    [
      'several ports have names',
      { 'spec.ports': [{ port: 80 }, { port: 81 }] },
      ['spec.ports[0].name: Required value', 'spec.ports[1].name: Required value'],
    ],
    [
      'no two ports are the same',
      { 'spec.ports.1': { name: 'again', port: 80 } },
      [
        'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}',
      ],
    ],
    [
      'port numbers are port numbers',
      { 'spec.ports.0.port': 0 },
      [
        'spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
        'spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive',
      ],
    ],
    [
      'node ports belong to node port services',
      { 'spec.ports.0.nodePort': 30000 },
      ["spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"],
    ],
    [
      'the port for health checks is a port',
      { 'spec.type': 'LoadBalancer', 'spec.externalTrafficPolicy': 'Local', 'spec.healthCheckNodePort': 70000 },
      ['spec.healthCheckNodePort: Invalid value: 70000: must be between 1 and 65535, inclusive'],
    ],
    ['an external name is a name', { 'spec.type': 'ExternalName' }, ['spec.externalName: Required value']],
    [
      'families are one or both',
      { 'spec.ipFamilyPolicy': 'Both' },
      [
        'spec.ipFamilyPolicy: Unsupported value: "Both": supported values: "PreferDualStack", "RequireDualStack", "SingleStack"',
      ],
    ],
    [
      'addresses are reported alone, because they are looked at first',
      { 'spec.clusterIP': 'x', 'spec.clusterIPs': ['x'], 'spec.ports': [] },
      ['spec.clusterIPs[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
    ],
    [
      'source ranges are for load balancers',
      { 'spec.loadBalancerSourceRanges': ['10.0.0.0/8'] },
      ["spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'"],
    ],
    [
      'an inner service has no policy for outside traffic',
      { 'spec.externalTrafficPolicy': 'Local' },
      ['spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services'],
    ],
    [
      'external addresses lead somewhere',
      { 'spec.externalIPs': ['127.0.0.1'], 'spec.externalTrafficPolicy': undefined },
      ['spec.externalIPs[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)'],
    ],
  ])('%s', (_sentence, changes, want) => {
    expect(problemsOnCreate(service, changes)).toEqual(want);
  });
});

describe('change', () => {
  const placed = { ...service, spec: { ...service.spec, clusterIP: '10.0.0.5', clusterIPs: ['10.0.0.5'] } };

  test.each<[string, Changes, string[]]>([
    [
      'an address stays',
      { 'spec.clusterIP': '10.0.0.6', 'spec.clusterIPs': ['10.0.0.6'] },
      ['spec.clusterIPs[0]: Invalid value: ["10.0.0.6"]: may not change once set'],
    ],
    ['becoming an external name gives it up', { spec: { type: 'ExternalName', externalName: 'example.com' } }, []],
  ])('%s', (_sentence, changes, want) => {
    expect(problemsOnUpdate(placed, changes)).toEqual(want);
  });
});
