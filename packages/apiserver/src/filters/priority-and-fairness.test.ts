import { PrometheusMetrics } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import type { Authenticator } from '../authentication/authenticator.js';
import { startTestServer } from '../server.fixture.js';

const api = '/apis/flowcontrol.apiserver.k8s.io/v1';

/** A header names the user. */
const named: Authenticator = {
  name: 'test',
  authenticate: ({ headers }) => {
    const name = headers['x-user'] ?? 'admin';
    return { user: { name, groups: [name === 'admin' ? 'system:masters' : 'system:authenticated'] } };
  },
};

const level = (name: string, limited: object) => ({
  apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
  kind: 'PriorityLevelConfiguration',
  metadata: { name },
  spec: { type: 'Limited', limited },
});

const schema = (name: string, levelName: string, user: string) => ({
  apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
  kind: 'FlowSchema',
  metadata: { name },
  spec: {
    priorityLevelConfiguration: { name: levelName },
    matchingPrecedence: 100,
    distinguisherMethod: { type: 'ByUser' },
    rules: [
      {
        subjects: [{ kind: 'User', user: { name: user } }],
        resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
      },
    ],
  },
});

async function start(options: Parameters<typeof startTestServer>[0] = {}) {
  const metrics = new PrometheusMetrics();
  const server = await startTestServer({ metrics, authenticators: () => [named], ...options });
  const as = (user: string, path: string) => server.call('GET', path, undefined, { 'x-user': user });
  const uidOf = async (resource: string, name: string) =>
    (await server.call('GET', `${api}/${resource}/${name}`)).body.metadata.uid;
  const flowOf = async (user: string, path: string) => {
    const { headers } = await as(user, path);
    return [headers['x-kubernetes-pf-flowschema-uid'], headers['x-kubernetes-pf-prioritylevel-uid']];
  };
  return { ...server, metrics, as, uidOf, flowOf };
}

describe('priority and fairness', () => {
  test.each([
    ['admin', '/api/v1/pods', 'exempt', 'exempt'],
    ['jane', '/healthz', 'probes', 'exempt'],
    ['jane', '/api/v1/pods', 'global-default', 'global-default'],
    ['system:kube-scheduler', '/api/v1/pods', 'kube-scheduler', 'workload-high'],
    ['system:serviceaccount:kube-system:x', '/api/v1/pods', 'kube-system-service-accounts', 'workload-high'],
  ])(
    '%s at %s is answered with its FlowSchema %s and its priority level %s',
    async (user, path, schemaName, levelName) => {
      const { flowOf, uidOf } = await start();
      expect(await flowOf(user, path)).toEqual([
        await uidOf('flowschemas', schemaName),
        await uidOf('prioritylevelconfigurations', levelName),
      ]);
    },
  );

  test('a new schema and level take effect with the next request, until they are deleted', async () => {
    const { call, flowOf, uidOf } = await start();
    await call(
      'POST',
      `${api}/prioritylevelconfigurations`,
      level('mine', { nominalConcurrencyShares: 10, limitResponse: { type: 'Reject' } }),
    );
    await call('POST', `${api}/flowschemas`, schema('mine', 'mine', 'jane'));
    const mine = [await uidOf('flowschemas', 'mine'), await uidOf('prioritylevelconfigurations', 'mine')];
    expect(await flowOf('jane', '/api/v1/pods')).toEqual(mine);
    await call('DELETE', `${api}/flowschemas/mine`);
    expect((await flowOf('jane', '/api/v1/pods'))[0]).toBe(await uidOf('flowschemas', 'global-default'));
  });

  test('a level without seats left rejects with 429 while others are served', async () => {
    const held: (() => void)[] = [];
    const { call, as, metrics } = await start({
      inFlightLimits: { readOnly: 1, mutating: 1 },
      endpoints: () => ({
        '/slow': () =>
          new Promise((resolve) => {
            held.push(() => resolve({ status: 200, headers: {}, body: { kind: 'empty' } }));
          }),
      }),
    });
    const rules = [{ verbs: ['*'], nonResourceURLs: ['*'] }];
    const greedy = schema('greedy', 'tight', 'greedy');
    greedy.spec.rules = [{ subjects: greedy.spec.rules[0]?.subjects ?? [], nonResourceRules: rules } as never];
    await call(
      'POST',
      `${api}/prioritylevelconfigurations`,
      level('tight', { nominalConcurrencyShares: 0, limitResponse: { type: 'Reject' } }),
    );
    await call('POST', `${api}/flowschemas`, greedy);
    const first = as('greedy', '/slow');
    const { status, headers } = await as('greedy', '/slow');
    expect([status, headers['retry-after']]).toEqual([429, '1']);
    expect((await as('jane', '/api/v1/pods')).status).toBe(200);
    held[0]?.();
    expect((await first).status).toBe(200);
    expect(metrics.render()).toContain(
      'apiserver_flowcontrol_rejected_requests_total{priority_level="tight",flow_schema="greedy",reason="concurrency-limit"} 1',
    );
  });

  test('the debug endpoints list levels, queues and requests', async () => {
    const { call, as } = await start();
    await as('jane', '/api/v1/pods');
    const text = async (path: string) =>
      String((await call('GET', `/debug/api_priority_and_fairness/${path}`, undefined, { accept: '*/*' })).body);
    const levels = (await text('dump_priority_levels')).split('\n');
    expect(levels[0]).toMatch(/^PriorityLevelName, +ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, /);
    expect(levels.find((line) => line.startsWith('global-default'))).toMatch(
      /^global-default, +0, +true, +false, +0, +0, +1, /,
    );
    expect((await text('dump_queues')).split('\n').filter((line) => line.startsWith('workload-low,')).length).toBe(128);
    expect(await text('dump_requests?includeRequestDetails=1')).toMatch(/^PriorityLevelName, .*SubResource\n$/);
  });

  test('off, there are no headers and no debug endpoints', async () => {
    const { as, call } = await start({ priorityAndFairness: false });
    const { headers } = await as('jane', '/api/v1/pods');
    expect(headers['x-kubernetes-pf-flowschema-uid']).toBeUndefined();
    expect((await call('GET', '/debug/api_priority_and_fairness/dump_queues')).status).toBe(404);
  });
});
