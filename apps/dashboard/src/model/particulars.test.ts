import { expect, test } from 'vitest';
import { outlineOf } from './outline.js';
import { particularsOf } from './particulars.js';
import type { AnyKube } from './status-in-words.js';

const linesOf = (kind: string, fields: object) =>
  particularsOf({ metadata: { name: 'x' }, ...fields } as AnyKube, kind).map(
    ({ name, text, to }) => `${name}: ${text}${to ? ` -> ${to.kind}/${to.name}` : ''}`,
  );

test.each<[string, object, string[]]>([
  [
    'Service',
    {
      spec: { type: 'NodePort', ports: [{ port: 80, targetPort: 'http', nodePort: 30080 }], selector: { app: 'web' } },
    },
    ['type: NodePort', 'ports: 80→http/TCP (node 30080)', 'selector: app=web'],
  ],
  [
    'Node',
    {
      spec: { taints: [{ key: 'gpu', effect: 'NoSchedule' }] },
      status: { addresses: [{ type: 'InternalIP', address: '10.0.0.1' }], allocatable: { cpu: '4', memory: '8Gi' } },
    },
    ['addresses: 10.0.0.1 (InternalIP)', 'allocatable: cpu 4, memory 8Gi', 'taints: gpu:NoSchedule'],
  ],
  [
    'HorizontalPodAutoscaler',
    {
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        maxReplicas: 5,
        metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { averageUtilization: 70 } } }],
      },
      status: { currentMetrics: [{ resource: { name: 'cpu', current: { averageUtilization: 42 } } }] },
    },
    ['scaleTargetRef: web -> Deployment/web', 'maxReplicas: 5', 'metrics: cpu 42 % / 70 %'],
  ],
  [
    'RoleBinding',
    {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [
        { kind: 'ServiceAccount', name: 'ci', namespace: 'build' },
        { kind: 'User', name: 'ann' },
      ],
    },
    [
      'roleRef: view -> ClusterRole/view',
      'subjects: ServiceAccount build/ci -> ServiceAccount/ci',
      'subjects: User ann',
    ],
  ],
  [
    'Role',
    { rules: [{ verbs: ['get', 'list'], apiGroups: ['', 'apps'], resources: ['pods', 'deployments'] }] },
    ['get, list: pods, deployments (apps)'],
  ],
  [
    'Ingress',
    {
      spec: {
        rules: [
          {
            host: 'a.org',
            http: { paths: [{ path: '/', backend: { service: { name: 'web', port: { number: 80 } } } }] },
          },
        ],
      },
    },
    ['a.org/: web:80 -> Service/web'],
  ],
  [
    'Boat',
    { spec: { crew: 1, oars: [{ long: true }], ports: ['a', 'b'] } },
    ['crew: 1', 'oars[0].long: true', 'ports: a, b'],
  ],
  ['Boat', {}, []],
])('of a %s', (kind, fields, expected) => {
  expect(linesOf(kind, fields)).toEqual(expected);
});

test('an outline of a large value ends', () => {
  expect(outlineOf({ all: Array.from({ length: 500 }, (_, n) => ({ n })) }).length).toBe(40);
});
