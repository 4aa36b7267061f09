import { describe, expect, it } from 'vitest';
import { cellsOf } from '../../columns/row.fixture.js';

const template = {
  metadata: { labels: { app: 'web', tier: 'front' } },
  spec: {
    containers: [
      { name: 'a', image: 'nginx:1' },
      { name: 'b', image: 'redis:7' },
    ],
  },
};
const systemInfo = {
  architecture: 'amd64',
  bootID: '',
  kubeProxyVersion: '',
  machineID: '',
  operatingSystem: 'linux',
  systemUUID: '',
};

describe('tables of core', () => {
  it.each<readonly [string, readonly unknown[], Record<string, unknown>]>([
    ['Namespace', ['x', 'Active', '5d'], { status: { phase: 'Active' } }],
    ['Secret', ['x', 'Opaque', 2, '5d'], { type: 'Opaque', data: { a: 'YQ==', b: 'Yg==' } }],
    ['ConfigMap', ['x', 3, '5d'], { data: { a: '1', b: '2' }, binaryData: { c: 'Yw==' } }],
    ['ConfigMap', ['x', 0, '5d'], {}],
    ['ServiceAccount', ['x', '5d'], {}],
    ['LimitRange', ['x', '2026-01-01T00:00:00Z'], { spec: { limits: [] } }],
    ['PodTemplate', ['x', 'a,b', 'nginx:1,redis:7', 'app=web,tier=front'], { template }],
    [
      'ReplicationController',
      ['x', 3, 2, 1, '5d', 'a,b', 'nginx:1,redis:7', 'app=web'],
      { spec: { replicas: 3, selector: { app: 'web' }, template }, status: { replicas: 2, readyReplicas: 1 } },
    ],
    [
      'ComponentStatus',
      ['x', 'Healthy', 'ok', ''],
      { conditions: [{ type: 'Healthy', status: 'True', message: 'ok' }] },
    ],
    [
      'ComponentStatus',
      ['x', 'Unhealthy', '', 'refused'],
      { conditions: [{ type: 'Healthy', status: 'False', error: 'refused' }] },
    ],
    ['ComponentStatus', ['x', 'Unknown', '', ''], {}],
    [
      'ResourceQuota',
      ['x', 'configmaps: 1/3, requests.cpu: 0/2', 'limits.cpu: 500m/4', '5d'],
      {
        status: {
          hard: { 'requests.cpu': '2', configmaps: '3', 'limits.cpu': '4' },
          used: { configmaps: '1', 'limits.cpu': '500m' },
        },
      },
    ],
  ])('show a %s as %j', (kind, cells, object) => {
    expect(cellsOf({ apiVersion: 'v1', kind, ...object })).toEqual(cells);
  });
});

describe('the table of nodes', () => {
  const ready = { type: 'Ready', status: 'True' };
  it.each<readonly [string, Record<string, unknown>]>([
    ['Ready', { status: { conditions: [ready] } }],
    ['NotReady', { status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } }],
    ['Unknown', {}],
    ['Ready,SchedulingDisabled', { spec: { unschedulable: true }, status: { conditions: [ready] } }],
  ])('says %s', (status, object) => {
    expect(cellsOf({ apiVersion: 'v1', kind: 'Node', ...object })[1]).toBe(status);
  });

  it('reports roles, versions and addresses', () => {
    const labels = {
      'node-role.kubernetes.io/control-plane': '',
      'kubernetes.io/role': 'alpha',
      'node-role.kubernetes.io/': '',
    };
    const nodeInfo = {
      ...systemInfo,
      kubeletVersion: 'v1.36.4',
      osImage: 'Debian',
      kernelVersion: '6.1',
      containerRuntimeVersion: 'containerd://2.1',
    };
    const addresses = [
      { type: 'Hostname', address: 'n' },
      { type: 'InternalIP', address: '10.0.0.1' },
      { type: 'InternalIP', address: 'fd00::1' },
    ];
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { labels }, status: { nodeInfo, addresses } };
    const wide = ['10.0.0.1', '<none>', 'Debian', '6.1 (amd64)', 'containerd://2.1'];
    expect(cellsOf(node)).toEqual(['x', 'Unknown', 'alpha,control-plane', '5d', 'v1.36.4', ...wide]);
  });

  it('prints unknown values', () => {
    const cells = ['x', 'Unknown', '<none>', '5d', '', '<none>', '<none>', '<unknown>', '<unknown>', '<unknown>'];
    expect(cellsOf({ apiVersion: 'v1', kind: 'Node' })).toEqual(cells);
  });
});

describe('the table of services', () => {
  const ports = [{ port: 80, protocol: 'TCP' }];
  it.each<readonly [string, readonly unknown[], object, object]>([
    [
      'with two ports',
      ['ClusterIP', '10.96.0.1', '<none>', '80/TCP,53:30053/UDP'],
      {
        type: 'ClusterIP',
        clusterIPs: ['10.96.0.1', 'fd00::1'],
        ports: [...ports, { port: 53, protocol: 'UDP', nodePort: 30053 }],
      },
      {},
    ],
    ['without a head', ['ClusterIP', 'None', '<none>', '<none>'], { type: 'ClusterIP', clusterIPs: ['None'] }, {}],
    [
      'with addresses of its own',
      ['NodePort', '<none>', '1.2.3.4,1.2.3.5', '80/TCP'],
      { type: 'NodePort', externalIPs: ['1.2.3.4', '1.2.3.5'], ports },
      {},
    ],
    [
      'that waits for a balancer',
      ['LoadBalancer', '<none>', '<pending>', '80/TCP'],
      { type: 'LoadBalancer', ports },
      {},
    ],
    [
      'with a balancer',
      ['LoadBalancer', '<none>', '5.6.7.8,lb.example.com,1.2.3.4', '80/TCP'],
      { type: 'LoadBalancer', externalIPs: ['1.2.3.4'], ports },
      { loadBalancer: { ingress: [{ hostname: 'lb.example.com' }, { ip: '5.6.7.8' }, { ip: '5.6.7.8' }] } },
    ],
    [
      'elsewhere',
      ['ExternalName', '<none>', 'db.example.com', '<none>'],
      { type: 'ExternalName', externalName: 'db.example.com' },
      {},
    ],
  ])('shows one %s', (_, cells, spec, status) => {
    const service = { apiVersion: 'v1', kind: 'Service', spec: { ...spec, selector: { b: '2', a: '1' } }, status };
    expect(cellsOf(service)).toEqual(['x', ...cells, '5d', 'a=1,b=2']);
  });
});

describe('the table of endpoints', () => {
  const addresses = ['10.0.0.1', '10.0.0.2'].map((ip) => ({ ip }));
  it.each<readonly [string, readonly object[]]>([
    ['<none>', []],
    ['', [{ notReadyAddresses: addresses, ports: [{ port: 80 }] }]],
    ['10.0.0.1,10.0.0.2', [{ addresses }]],
    ['[fd00::1]:80', [{ addresses: [{ ip: 'fd00::1' }], ports: [{ port: 80 }] }]],
    ['10.0.0.1:80,10.0.0.2:80,10.0.0.1:443 + 1 more...', [{ addresses, ports: [{ port: 80 }, { port: 443 }] }]],
  ])('lists %s', (text, subsets) => {
    expect(cellsOf({ apiVersion: 'v1', kind: 'Endpoints', subsets })).toEqual(['x', text, '5d']);
  });
});

describe('the tables of volumes', () => {
  it('show a volume that is bound', () => {
    const spec = {
      capacity: { storage: '10Gi' },
      accessModes: ['ReadWriteMany', 'ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      claimRef: { namespace: 'shop', name: 'data' },
      storageClassName: 'fast',
      volumeMode: 'Filesystem',
    };
    const cells = ['x', '10Gi', 'RWO,RWX', 'Retain', 'Bound', 'shop/data', 'fast', '<unset>', '', '5d', 'Filesystem'];
    expect(cellsOf({ apiVersion: 'v1', kind: 'PersistentVolume', spec, status: { phase: 'Bound' } })).toEqual(cells);
  });

  it.each<readonly [string, readonly unknown[], Record<string, unknown>]>([
    ['Pending', ['', '', '', 'fast', '<unset>'], { spec: { storageClassName: 'fast' }, status: { phase: 'Pending' } }],
    [
      'Bound',
      ['pv-1', '5Gi', 'RWO', '', 'gold'],
      {
        spec: { volumeName: 'pv-1', volumeAttributesClassName: 'gold' },
        status: { phase: 'Bound', capacity: { storage: '5Gi' }, accessModes: ['ReadWriteOnce'] },
      },
    ],
    [
      'Terminating',
      ['', '', '', 'old', '<unset>'],
      {
        metadata: {
          deletionTimestamp: '2026-01-05T00:00:00Z',
          annotations: { 'volume.beta.kubernetes.io/storage-class': 'old' },
        },
      },
    ],
  ])('show a claim that is %s', (status, cells, object) => {
    const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', ...object };
    expect(cellsOf(claim)).toEqual(['x', status, ...cells, '5d', '<unset>']);
  });
});

describe('EVENT-09 the table of events', () => {
  const common = {
    involvedObject: { kind: 'Pod', name: 'web-1', fieldPath: 'spec.containers{a}' },
    type: 'Normal',
    reason: 'Pulled',
    message: ' pulled\n',
  };
  const what = ['Normal', 'Pulled', 'pod/web-1', 'spec.containers{a}'];
  it.each<readonly [string, readonly unknown[], Record<string, unknown>]>([
    [
      'that was seen often',
      ['60s', ...what, 'kubelet, node-1', 'pulled', '60m', 7, 'x'],
      {
        source: { component: 'kubelet', host: 'node-1' },
        firstTimestamp: '2026-01-05T23:00:00Z',
        lastTimestamp: '2026-01-05T23:59:00Z',
        count: 7,
      },
    ],
    [
      'of the newer kind',
      ['10m', ...what, 'scheduler', 'pulled', '10m', 1, 'x'],
      { reportingComponent: 'scheduler', eventTime: '2026-01-05T23:50:00.000000Z' },
    ],
    [
      'that is a series',
      ['5s', ...what, '', 'pulled', '10m', 3, 'x'],
      {
        eventTime: '2026-01-05T23:50:00.000000Z',
        series: { count: 3, lastObservedTime: '2026-01-05T23:59:55.000000Z' },
      },
    ],
    ['of no time', ['<unknown>', ...what, '', 'pulled', '<unknown>', 1, 'x'], {}],
  ])('shows one %s', (_, cells, object) => {
    expect(cellsOf({ apiVersion: 'v1', kind: 'Event', ...common, ...object })).toEqual(cells);
  });
});
