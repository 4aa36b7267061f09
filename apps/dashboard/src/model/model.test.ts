import { describe, expect, test } from 'vitest';
import { ageOf } from './age.js';
import { type GraphNode, layoutOf } from './graph-layout.js';
import { lineDiff } from './line-diff.js';
import { mergePatchOf } from './merge-patch.js';
import { pluralOf } from './navigation.js';
import { bytesText, nodeUseOf } from './node-use.js';
import { stateOf, summarisePods } from './pod-map.js';
import { revisionsOf } from './revisions.js';
import { yamlPathAt } from './yaml-path.js';

test.each([
  [5_000, '5s'],
  [119_000, '119s'],
  [125_000, '2m5s'],
  [3_600_000, '60m'],
  [3 * 3_600_000, '3h'],
  [5 * 86_400_000 + 3_600_000, '5d1h'],
  [400 * 86_400_000, '400d'],
])('an age of %i ms is %s', (ms, text) => {
  expect(ageOf(new Date(1_000_000_000_000).toISOString(), 1_000_000_000_000 + ms)).toBe(text);
});

test.each([
  ['Running', '1/1', 'running'],
  ['Running', '0/1', 'waiting'],
  ['CrashLoopBackOff', '0/1', 'failing'],
  ['ImagePullBackOff', '0/1', 'failing'],
  ['Completed', '0/1', 'done'],
  ['Terminating', '1/1', 'ending'],
  ['Init:0/1', '0/1', 'waiting'],
])('a pod that is %s and ready %s is %s', (status, ready, state) => {
  expect(stateOf(status, ready)).toBe(state);
});

test('pods are counted by node', () => {
  const columns = ['Name', 'Ready', 'Status', 'Node'].map((name) => ({ name, type: 'string', priority: 0 }));
  const row = (name: string, status: string, node: string) => ({
    metadata: { name, namespace: 'd' },
    cells: [name, '1/1', status, node],
    readAt: 0,
  });
  const { total, counts, nodes } = summarisePods(
    [row('a', 'Running', 'n1'), row('b', 'Pending', '<none>'), row('c', 'Error', 'n1')],
    columns,
  );
  expect({ total, running: counts.running, failing: counts.failing }).toEqual({ total: 3, running: 1, failing: 1 });
  expect(nodes.map(({ node, pods }) => [node, pods.map(({ key }) => key)])).toEqual([
    ['', ['d/b']],
    ['n1', ['d/a', 'd/c']],
  ]);
});

test('nodes report their usage', () => {
  const node = {
    metadata: { name: 'n1' },
    status: { conditions: [{ type: 'Ready', status: 'True' }], allocatable: { cpu: '4', memory: '8Gi' } },
  };
  const { meters, ready } = nodeUseOf(node, new Map([['n1', { cpu: '500m', memory: '2Gi' }]]));
  expect({ ready, meters: meters.map(({ share, text }) => [share, text]) }).toEqual({
    ready: true,
    meters: [
      [0.125, '0.5 / 4'],
      [0.25, '2 GiB / 8 GiB'],
    ],
  });
  expect(bytesText(1536)).toBe('1.5 KiB');
});

describe('lineDiff', () => {
  test('shows the changes with some context', () => {
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`);
    const after = lines.with(10, 'changed');
    expect(lineDiff(lines.join('\n'), after.join('\n')).map(({ change, text }) => `${change[0]} ${text}`)).toEqual([
      's …',
      's line 7',
      's line 8',
      's line 9',
      'r line 10',
      'a changed',
      's line 11',
      's line 12',
      's line 13',
      's …',
    ]);
  });

  test('finds inserted lines', () => {
    const changes = lineDiff('a\nb\nc', 'a\nx\nb\ny\nc').filter(({ change }) => change === 'added');
    expect(changes.map(({ text }) => text)).toEqual(['x', 'y']);
  });
});

test.each<[unknown, unknown, unknown]>([
  [{ a: 1 }, { a: 1 }, undefined],
  [{ a: 1, b: 2 }, { a: 1 }, { b: null }],
  [{ a: { b: 1, c: 2 } }, { a: { b: 3, c: 2 } }, { a: { b: 3 } }],
  [{ a: [1, 2] }, { a: [1] }, { a: [1] }],
])('the patch from %j to %j is %j', (before, after, patch) => {
  expect(mergePatchOf(before, after)).toEqual(patch);
});

test.each<[number, string[]]>([
  [0, ['spec']],
  [2, ['spec', 'containers', 'name']],
  [3, ['spec', 'containers', 'image']],
  [4, ['status']],
])('line %i is in %j', (line, path) => {
  expect(yamlPathAt('spec:\n  containers:\n  - name: web\n    image: nginx\nstatus:\n', line)).toEqual(path);
});

test('a graph centers each object above its dependents', () => {
  const leaf = (key: string): GraphNode => ({ key, kind: 'Pod', name: key, isSelf: false, children: [] });
  const { nodes, edges } = layoutOf({ ...leaf('root'), children: [leaf('a'), leaf('b')] });
  const y = (key: string) => nodes.find(({ node }) => node.key === key)?.y ?? Number.NaN;
  expect(y('root')).toBe((y('a') + y('b')) / 2);
  expect(edges).toHaveLength(2);
});

test('revisions come from replica sets, without the hash of the template', () => {
  const owner = { metadata: { uid: 'u' } };
  const set = (revision: string, image: string, uid = 'u') => ({
    metadata: {
      annotations: { 'deployment.kubernetes.io/revision': revision },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'd', uid }],
    },
    spec: {
      template: { metadata: { labels: { app: 'x', 'pod-template-hash': 'h' } }, spec: { containers: [{ image }] } },
    },
  });
  const [newest, oldest, ...rest] = revisionsOf(owner, [set('1', 'a:1'), set('2', 'a:2'), set('9', 'b', 'other')]);
  expect(rest).toEqual([]);
  expect([newest?.number, newest?.isCurrent, oldest?.images]).toEqual([2, true, ['a:1']]);
  expect(JSON.stringify(oldest?.patch.body)).not.toContain('pod-template-hash');
});

test.each([
  ['Pod', 'Pods'],
  ['NetworkPolicy', 'Network Policies'],
  ['Ingress', 'Ingresses'],
  ['Endpoints', 'Endpoints'],
])('many of %s are %s', (kind, many) => {
  expect(pluralOf(kind)).toBe(many);
});
