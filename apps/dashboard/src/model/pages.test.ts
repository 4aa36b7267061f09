import { describe, expect, test } from 'vitest';
import { changesBetween } from './changes.js';
import { LogBuffer, partsAround } from './log-buffer.js';
import { podSelectorOf, sourcesOf } from './pod-containers.js';
import { formOf, previewPortsOf, proxyPath } from './preview.js';
import { quotaLines } from './quota.js';
import { backendsOf, policyScope, reachabilityOf } from './reachability.js';
import { setsOf, shownSets, withFrame } from './rollout.js';
import { groupAttempts } from './scheduling.js';
import { claimsInUse } from './storage.js';
import { knownSteps, storyOf } from './story.js';
import { isMine, whoCan } from './who-can.js';

test('every step of the flow that is documented has its stage', async () => {
  // By address, because the tools have no types.
  const builder: string = new URL('../../../../tools/build-dashboard.mjs', import.meta.url).href;
  const { stepFilesOf } = (await import(builder)) as { stepFilesOf(): Record<string, string> };
  const files = stepFilesOf();
  expect(Object.keys(files).length).toBeGreaterThan(15);
  expect(Object.keys(files).filter((name) => !knownSteps[name])).toEqual([]);
  expect(files['apiserver.authorize']).toBe('packages/apiserver/src/filters/authorize.ts');
});

test('a story is listed by stages, with the times since its beginning', () => {
  const stages = storyOf(
    {
      subject: 'pods/d/web',
      chapters: [
        {
          subject: 'replicasets/d/rs',
          steps: [
            { name: 'apiserver.receive', at: 100 },
            { name: 'controller.sync', at: 110 },
          ],
        },
        {
          subject: 'pods/d/web',
          steps: [
            { name: 'apiserver.receive', at: 120 },
            { name: 'scheduler.place', at: 130, details: { node: 'n1' } },
          ],
        },
      ],
    },
    { 'controller.sync': 'controller.ts' },
  );
  const stagesWithSteps = stages.filter(({ steps }) => steps.length > 0);
  expect(stagesWithSteps.map(({ name, afterMs, steps }) => [name, afterMs, steps[0]?.details])).toEqual([
    ['controller', 10, ''],
    ['request', 20, ''],
    ['scheduler', 30, 'node=n1'],
  ]);
});

test('a log keeps the newest lines, without colours and with their times apart', () => {
  const buffer = new LogBuffer();
  buffer.push('p/c', '2026-01-01T00:00:00Z \u001b[31mred\u001b[0m <script>alert(1)</script>');
  buffer.push('p/c', 'no time here');
  expect(buffer.matching('RED').map(({ time, text }) => [time, text])).toEqual([
    ['2026-01-01T00:00:00Z', 'red <script>alert(1)</script>'],
  ]);
  for (let i = 0; i < 30_000; i++) buffer.push('p/c', `line ${i}`);
  expect(buffer.size).toBeLessThanOrEqual(22_000);
  expect(buffer.matching('').at(-1)?.text).toBe('line 29999');
});

test.each<[string, string, string[]]>([
  ['a needle in a Needle', 'needle', ['a ', '[needle]', ' in a ', '[Needle]']],
  ['nothing', 'x', ['nothing']],
  ['all', '', ['all']],
])('marks in %j what is %j', (text, search, parts) => {
  expect(partsAround(text, search).map((part) => (part.isMatch ? `[${part.text}]` : part.text))).toEqual(parts);
});

test.each([
  [{ matchLabels: { app: 'web' } }, 'app=web'],
  [
    {
      matchExpressions: [
        { key: 'tier', operator: 'In', values: ['a', 'b'] },
        { key: 'x', operator: 'DoesNotExist' },
      ],
    },
    'tier in (a,b),!x',
  ],
  [{ app: 'old' }, 'app=old'],
])('the pods of %j are %j', (selector, text) => {
  expect(podSelectorOf({ metadata: {}, spec: { selector } } as never)).toBe(text);
});

test('logs come from every container', () => {
  const pod = {
    metadata: { name: 'p', namespace: 'd' },
    spec: { containers: [{ name: 'a' }], initContainers: [{ name: 'i' }] },
  };
  expect(sourcesOf([pod]).map(({ container }) => container)).toEqual(['a', 'i']);
});

test('changes between two moments', () => {
  const at = (uid: string, resourceVersion: string) => ({ metadata: { uid, name: uid, resourceVersion } });
  expect(
    changesBetween([at('a', '1'), at('b', '2'), at('c', '3')], [at('a', '1'), at('b', '5'), at('d', '6')]).map(
      ({ what, metadata }) => [what, metadata.name],
    ),
  ).toEqual([
    ['created', 'd'],
    ['changed', 'b'],
    ['deleted', 'c'],
  ]);
});

test('a policy that forbids the connection is named', () => {
  const pod = (name: string) => ({
    metadata: { name, namespace: 'd', labels: { app: name } },
    spec: { containers: [] },
    status: { phase: 'Running', podIP: '10.0.0.1' },
  });
  const policy = (name: string, from: object[]) => ({
    metadata: { name, namespace: 'd' },
    spec: { podSelector: { matchLabels: { app: 'db' } }, ingress: from.length > 0 ? [{ from }] : [] },
  });
  const world = (policies: object[]) => ({
    policies: policies as never,
    pods: [pod('web'), pod('db')],
    namespaces: [],
  });
  const attempt = { from: pod('web'), to: pod('db'), port: 80, protocol: 'TCP' };
  expect(reachabilityOf(attempt, world([policy('deny', [])]))).toEqual({
    allowed: false,
    blockedBy: [{ namespace: 'd', name: 'deny' }],
  });
  const allow = policy('allow', [{ podSelector: { matchLabels: { app: 'web' } } }]);
  expect(reachabilityOf(attempt, world([policy('deny', []), allow])).allowed).toBe(true);
});

test('the pods behind a service', () => {
  const service = { metadata: { name: 'web', namespace: 'd' } };
  const slice = {
    metadata: { name: 's', namespace: 'd', labels: { 'kubernetes.io/service-name': 'web' } },
    endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: false }, targetRef: { name: 'p' }, nodeName: 'n' }],
  };
  expect(backendsOf(service, [slice])).toEqual([{ pod: 'p', address: '10.0.0.1', ready: false, node: 'n' }]);
});

test('who can, and by which role', () => {
  const objects = {
    roles: [
      { metadata: { name: 'r', namespace: 'd' }, rules: [{ verbs: ['create'], apiGroups: [''], resources: ['pods'] }] },
    ],
    clusterRoles: [{ metadata: { name: 'all' }, rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] }],
    roleBindings: [
      {
        metadata: { name: 'rb', namespace: 'd' },
        roleRef: { kind: 'Role', name: 'r' },
        subjects: [{ kind: 'User', name: 'eve' }],
      },
      {
        metadata: { name: 'rb', namespace: 'x' },
        roleRef: { kind: 'Role', name: 'r' },
        subjects: [{ kind: 'User', name: 'no' }],
      },
    ],
    clusterRoleBindings: [
      {
        metadata: { name: 'crb' },
        roleRef: { kind: 'ClusterRole', name: 'all' },
        subjects: [{ kind: 'Group', name: 'admins' }],
      },
    ],
  };
  const grants = whoCan({ verb: 'create', group: '', resource: 'pods' }, 'd', objects);
  expect(grants.map(({ subject, role }) => [subject.name, role.name])).toEqual([
    ['admins', 'all'],
    ['eve', 'r'],
  ]);
  expect(grants.map((grant) => isMine(grant, { user: 'me', groups: ['admins'] }))).toEqual([true, false]);
});

test('replica sets over time are kept when they change', () => {
  const deployment = { metadata: { uid: 'u' } };
  const set = (name: string, replicas: number) => ({
    metadata: { name, ownerReferences: [{ apiVersion: '', kind: '', name: '', uid: 'u' }] },
    spec: { replicas },
  });
  const frame = (at: number, ...sets: object[]) => ({ at, sets: setsOf(deployment, sets as never) });
  let frames = withFrame([], frame(1, set('a', 2)));
  frames = withFrame(frames, frame(2, set('a', 2)));
  frames = withFrame(frames, frame(3, set('a', 1), set('b', 1), set('c', 0)));
  expect([frames.length, shownSets(frames)]).toEqual([2, ['a', 'b']]);
});

test('quota and claims', () => {
  const quota = {
    metadata: {},
    status: { hard: { pods: '4', 'requests.cpu': '2' }, used: { pods: '1', 'requests.cpu': '3' } },
  };
  expect(quotaLines(quota as never).map(({ share }) => share)).toEqual([0.25, 1.5]);
  const pod = {
    metadata: { name: 'p', namespace: 'd' },
    spec: { volumes: [{ persistentVolumeClaim: { claimName: 'c' } }, {}] },
  };
  expect([...claimsInUse([pod] as never)]).toEqual([['d/c', ['p']]]);
});

describe('preview of a port', () => {
  const service = (ports: object[]) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'a' },
    spec: { ports },
  });

  test('TCP ports of services and pods, each once', () => {
    const ports = [{ port: 80, name: 'http' }, { port: 53, protocol: 'UDP' }, { port: 8443 }, { port: 80 }];
    expect(previewPortsOf(service(ports))).toEqual([
      { label: '80 (http)', port: 80, isTls: false },
      { label: '8443', port: 8443, isTls: true },
    ]);
    const containers = [{ ports: [{ containerPort: 3000, name: 'https-web' }] }, {}];
    expect(previewPortsOf({ apiVersion: 'v1', kind: 'Pod', metadata: {}, spec: { containers } } as never)).toEqual([
      { label: '3000 (https-web)', port: 3000, isTls: true },
    ]);
    expect(previewPortsOf(service([]))).toEqual([]);
  });

  test.each([
    ['/', false, '/api/v1/namespaces/n/pods/a:80/proxy/'],
    ['', false, '/api/v1/namespaces/n/pods/a:80/proxy/'],
    ['//x/y?q=1#part', true, '/api/v1/namespaces/n/pods/https:a:80/proxy/x/y?q=1'],
  ])('%j is requested through the proxy of the API', (path, isTls, expected) => {
    expect(proxyPath({ resource: 'pods', namespace: 'n', name: 'a', port: 80, isTls, path })).toBe(expected);
  });

  test.each([
    ['text/html; charset=utf-8', 'page'],
    ['IMAGE/png', 'picture'],
    ['image/svg+xml', 'text'],
    ['application/json', 'text'],
    ['', 'text'],
  ])('%j is shown as a %s', (type, form) => expect(formOf(type)).toBe(form));
});

test('a policy restricts the pods of its namespace that it selects', () => {
  const pod = (namespace: string, name: string, app: string) => ({ metadata: { namespace, name, labels: { app } } });
  const policy = { metadata: { name: 'p', namespace: 'a' }, spec: { podSelector: { matchLabels: { app: 'db' } } } };
  const { types, selected } = policyScope(policy, [pod('a', 'x', 'db'), pod('b', 'y', 'db'), pod('a', 'z', 'web')]);
  expect({ types, names: selected.map(({ metadata }) => metadata.name) }).toEqual({ types: ['Ingress'], names: ['x'] });
});

test('tries of the scheduler with the same outcome are shown once', () => {
  const attempt = (at: string, text: string) => ({ at, outcome: 'unschedulable', text });
  expect(groupAttempts([attempt('1', 'a'), attempt('2', 'a'), attempt('3', 'b')])).toEqual([
    { ...attempt('2', 'a'), count: 2 },
    { ...attempt('3', 'b'), count: 1 },
  ]);
});
