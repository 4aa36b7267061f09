import { unauthorized } from '@coracle/apimachinery';
import { nextPoll, silentLogger, VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import type { AuditBackend, AuditEvent } from '../audit/audit-event.js';
import { type AuditPolicy, auditDecider, parseAuditPolicy } from '../audit/audit-policy.js';
import { BatchBackend } from '../audit/batch-backend.js';
import { truncateEvent } from '../audit/truncate-event.js';
import type { Authenticator } from '../authentication/authenticator.js';
import type { RequestInfo } from '../request-info.js';
import { startTestServer } from '../server.fixture.js';
import type { UserInfo } from '../user-info.js';

const everything: AuditPolicy = { rules: [{ level: 'RequestResponse' }] };

/** The user is named in a header; `bad` is not authenticated. */
const named: Authenticator = {
  name: 'test',
  authenticate: ({ headers }) => {
    if (headers['authorization'] === 'Bearer bad') throw unauthorized();
    return { user: { name: headers['x-user'] ?? 'admin', groups: ['system:masters'] } };
  },
};

async function start(policy: AuditPolicy, options: Parameters<typeof startTestServer>[0] = {}) {
  const events: AuditEvent[] = [];
  const backend: AuditBackend = {
    name: 'test',
    process: (event) => {
      events.push(JSON.parse(event) as AuditEvent);
      return undefined;
    },
    [Symbol.asyncDispose]: async () => {},
  };
  const server = await startTestServer({
    authenticators: () => [named],
    audit: () => ({ policy, backends: [backend] }),
    ...options,
  });
  events.length = 0;
  return { ...server, events };
}

const configMaps = '/api/v1/namespaces/default/configmaps';
const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { key: 'value' } };

describe('audit events', () => {
  test('FILTER-13 of a request have the user, the object and the result', async () => {
    const { call, events } = await start(everything);
    await call('POST', configMaps, configMap, { 'user-agent': 'kubectl', 'x-user': 'jane' });
    expect(events.map(({ stage }) => stage)).toEqual(['RequestReceived', 'ResponseComplete']);
    expect(events[1]).toMatchObject({
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'RequestResponse',
      requestURI: configMaps,
      verb: 'create',
      user: { username: 'jane', groups: ['system:masters', 'system:authenticated'] },
      sourceIPs: ['127.0.0.1'],
      userAgent: 'kubectl',
      objectRef: { resource: 'configmaps', namespace: 'default', apiVersion: 'v1' },
      responseStatus: { code: 201 },
      requestObject: configMap,
      responseObject: { kind: 'ConfigMap', metadata: { name: 'a', uid: expect.any(String) } },
      annotations: { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': '' },
    });
    expect(events[0]?.requestObject).toBeUndefined();
  });

  test.each([
    ['Metadata', false, false],
    ['Request', true, false],
    ['RequestResponse', true, true],
  ] as const)('at the level %s hold no more than that', async (level, hasRequest, hasResponse) => {
    const { call, events } = await start({ rules: [{ level }], omitStages: ['RequestReceived'] });
    await call('POST', configMaps, configMap);
    expect(events.map((event) => [event.stage, 'requestObject' in event, 'responseObject' in event])).toEqual([
      ['ResponseComplete', hasRequest, hasResponse],
    ]);
    if (!hasRequest) expect(JSON.stringify(events)).not.toContain('value');
  });

  test('leave out managed fields where the policy sets omitManagedFields', async () => {
    const { call, events } = await start({ rules: [{ level: 'RequestResponse', omitManagedFields: true }] });
    await call('POST', configMaps, configMap);
    await call('GET', configMaps);
    expect(JSON.stringify(events)).not.toContain('managedFields');
  });

  test('of a rejected request have the reason', async () => {
    const { call, events } = await start(everything, {
      authorizer: () => ({ name: 'no', authorize: () => ({ kind: 'no-opinion', reason: 'because' }) }),
    });
    await call('GET', configMaps);
    expect(events.at(-1)).toMatchObject({
      stage: 'ResponseComplete',
      responseStatus: { code: 403, reason: 'Forbidden', status: 'Failure' },
      annotations: { 'authorization.k8s.io/decision': 'forbid', 'authorization.k8s.io/reason': 'because' },
    });
  });

  test('of an invalid credential name no user, and never the credential', async () => {
    const { call, events } = await start(everything);
    await call('GET', configMaps, undefined, { authorization: 'Bearer bad' });
    expect(events).toMatchObject([
      {
        stage: 'ResponseStarted',
        user: {},
        responseStatus: { code: 401, message: 'Authentication failed, attempted: bearer' },
      },
    ]);
    expect(JSON.stringify(events)).not.toContain('bad"');
  });

  test('of a request that breaks the server have the stage Panic', async () => {
    const { call, events } = await start(everything, {
      endpoints: () => ({ '/broken': () => Promise.reject(new Error('disk on fire')) }),
    });
    expect((await call('GET', '/broken')).status).toBe(500);
    expect(events.at(-1)).toMatchObject({
      stage: 'Panic',
      responseStatus: { code: 500, reason: 'InternalError', message: "APIServer panic'd: disk on fire" },
    });
  });

  test('of a watch are recorded when it begins and when it ends', async () => {
    const { watch, events } = await start(everything);
    const watching = await watch(`${configMaps}?watch=true`);
    expect(events.map(({ stage }) => stage)).toEqual(['RequestReceived', 'ResponseStarted']);
    watching.stop();
    expect(events.map(({ stage }) => stage)).toEqual(['RequestReceived', 'ResponseStarted', 'ResponseComplete']);
  });

  test('at the level Metadata are one line in the order of fields of kube-apiserver', async () => {
    const lines: string[] = [];
    const backend: AuditBackend = {
      name: 'test',
      process: (event) => void lines.push(event),
      [Symbol.asyncDispose]: async () => {},
    };
    const { call } = await start(everything, {
      audit: () => ({ policy: { rules: [{ level: 'Metadata' }] }, backends: [backend] }),
    });
    lines.length = 0;
    const headers = {
      'user-agent': 'a "quoted" agent',
      'x-user': 'jane',
      'audit-id': 'the-id',
      'x-real-ip': '10.0.0.9',
    };
    await call('GET', '/apis/apps/v1/namespaces/d%22/deployments/web/status?pretty=a', undefined, headers);
    const masked = lines.map((line) => line.replace(/\d{4}-\d\d-\d\dT[\d:.]{15}Z/g, 'TIME'));
    const head = '{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"the-id","stage":';
    const shared =
      ',"requestURI":"/apis/apps/v1/namespaces/d%22/deployments/web/status?pretty=a","verb":"get",' +
      '"user":{"username":"jane","groups":["system:masters","system:authenticated"]},' +
      '"sourceIPs":["10.0.0.9","127.0.0.1"],"userAgent":"a \\"quoted\\" agent",' +
      '"objectRef":{"resource":"deployments","namespace":"d\\"","name":"web","apiGroup":"apps","apiVersion":"v1",' +
      '"subresource":"status"}';
    const times = ',"requestReceivedTimestamp":"TIME","stageTimestamp":"TIME"';
    const annotations = '"annotations":{"authorization.k8s.io/decision":"allow","authorization.k8s.io/reason":""}';
    const status = JSON.stringify((JSON.parse(lines[1] ?? '{}') as AuditEvent).responseStatus);
    expect(masked).toEqual([
      `${head}"RequestReceived"${shared}${times}}`,
      `${head}"ResponseComplete"${shared},"responseStatus":${status}${times},${annotations}}`,
    ]);
    for (const line of lines) expect(JSON.stringify(JSON.parse(line))).toBe(line);
  });

  test('of a write are awaited before it is done, those of a read before its response', async () => {
    const waiting: { readonly stage: string; readonly go: () => void }[] = [];
    const backend: AuditBackend = {
      name: 'slow',
      keepsOrder: true,
      process: (event) => {
        const { stage, user } = JSON.parse(event) as AuditEvent;
        return user.username === 'jane' ? new Promise((go) => waiting.push({ stage, go })) : undefined;
      },
      [Symbol.asyncDispose]: async () => {},
    };
    const { call } = await start(everything, { audit: () => ({ policy: everything, backends: [backend] }) });
    const jane = { 'x-user': 'jane' };
    const stages = () => waiting.map(({ stage }) => stage);
    const answered: string[] = [];
    const write = call('POST', configMaps, configMap, jane).then(() => answered.push('write'));
    await nextPoll();
    expect(stages()).toEqual(['RequestReceived']);
    const read = call('GET', `${configMaps}/a`, undefined, jane).then(({ status }) => answered.push(`read ${status}`));
    await nextPoll();
    expect([stages(), answered]).toEqual([['RequestReceived', 'RequestReceived', 'ResponseComplete'], []]);
    for (const { go } of waiting.slice(1)) go();
    await read;
    expect(answered).toEqual(['read 404']);
    waiting[0]?.go();
    while (waiting.length < 4) await nextPoll();
    waiting[3]?.go();
    await write;
    expect(answered).toEqual(['read 404', 'write']);
  });

  test('a backend that fails hinders a request only in strict mode', async () => {
    const failing: AuditBackend = {
      name: 'full-disk',
      process: () => Promise.reject(new Error('no space left')),
      [Symbol.asyncDispose]: async () => {},
    };
    for (const [isStrict, status] of [
      [false, 200],
      [true, 500],
    ] as const) {
      const { call } = await start(everything, {
        audit: () => ({ policy: everything, backends: [failing], isStrict }),
      });
      expect((await call('GET', configMaps)).status).toBe(status);
    }
  });
});

describe('an audit policy', () => {
  const jane: UserInfo = { name: 'jane', groups: ['dev'] };
  const info = (changes: Partial<RequestInfo>): RequestInfo => ({
    verb: 'get',
    isResourceRequest: true,
    apiPrefix: 'api',
    group: '',
    version: 'v1',
    resource: 'pods',
    subresource: '',
    namespace: 'default',
    name: 'web',
    parts: ['pods', 'web'],
    path: '/api/v1/namespaces/default/pods/web',
    ...changes,
  });

  test.each([
    [{ users: ['jane'] }, {}, true],
    [{ users: ['joe'] }, {}, false],
    [{ userGroups: ['dev', 'ops'] }, {}, true],
    [{ verbs: ['list'] }, {}, false],
    [{ namespaces: ['kube-system'] }, {}, false],
    [{ resources: [{ group: '', resources: ['pods'] }] }, {}, true],
    [{ resources: [{ group: 'apps' }] }, {}, false],
    [{ resources: [{ group: '', resources: ['pods'] }] }, { subresource: 'log' }, false],
    [{ resources: [{ group: '', resources: ['pods/*'] }] }, { subresource: 'log' }, true],
    [{ resources: [{ group: '', resources: ['*/log'] }] }, { subresource: 'log' }, true],
    [{ resources: [{ group: '', resources: ['pods'], resourceNames: ['db'] }] }, {}, false],
    [{ nonResourceURLs: ['/healthz*'] }, {}, false],
    [{ nonResourceURLs: ['/healthz*'] }, { isResourceRequest: false, path: '/healthz/etcd' }, true],
    [{ namespaces: ['default'] }, { isResourceRequest: false, path: '/healthz' }, false],
  ])('%j for %j: %s', (rule, changes, isMatch) => {
    const decide = auditDecider({ rules: [{ level: 'Metadata', ...rule }] });
    expect(decide(jane, info(changes)).level).toBe(isMatch ? 'Metadata' : 'None');
  });

  test.each([
    [{ kind: 'Policy', apiVersion: 'audit.k8s.io/v1', rules: [] }, '0 rules'],
    [{ kind: 'Policy', apiVersion: 'audit.k8s.io/v1beta1', rules: [{ level: 'None' }] }, 'audit.k8s.io/v1'],
    [{ kind: 'Policy', apiVersion: 'audit.k8s.io/v1', rules: [{ level: 'All' }] }, 'rules[0].level: Unsupported value'],
    [{ kind: 'Policy', apiVersion: 'audit.k8s.io/v1', rules: [{ level: 'None', user: ['x'] }] }, 'unknown field'],
    [
      {
        kind: 'Policy',
        apiVersion: 'audit.k8s.io/v1',
        rules: [{ level: 'None', namespaces: ['a'], nonResourceURLs: ['/'] }],
      },
      'both regular resources',
    ],
  ])('%j is refused', (policy, problem) => {
    expect(() => parseAuditPolicy(policy)).toThrow(problem);
  });
});

describe('batches', () => {
  const event = JSON.stringify({ auditID: 'x', requestObject: 'y'.repeat(500) });

  test('batches are sent when they are full or old enough; a slow backend drops events, and the rest is sent at the end', async () => {
    const clock = new VirtualClock();
    const sent: number[] = [];
    let dropped = 0;
    const sink = {
      name: 'test',
      send: async (events: readonly string[]) => void sent.push(events.length),
      [Symbol.asyncDispose]: async () => {},
    };
    const settings = { bufferSize: 6, maxBatchSize: 4, maxWaitMs: 1000, throttle: { qps: 1, burst: 1 } };
    const onDrop = (events: number) => {
      dropped += events;
    };
    const batch = new BatchBackend(sink, settings, { clock, logger: silentLogger, onDrop });
    for (let i = 0; i < 4; i++) batch.process(event);
    expect(sent).toEqual([4]);
    for (let i = 0; i < 8; i++) batch.process(event);
    expect([sent, dropped]).toEqual([[4], 2]);
    await clock.advance(1000);
    expect(sent).toEqual([4, 4]);
    await batch[Symbol.asyncDispose]();
    expect(sent).toEqual([4, 4, 2]);
  });

  test('an event that is too large is sent without its objects, and annotated as truncated', () => {
    expect(truncateEvent(event, 10_000)).toContain('requestObject');
    expect(JSON.parse(truncateEvent(event, 300) ?? '')).toEqual({
      auditID: 'x',
      annotations: { 'audit.k8s.io/truncated': 'true' },
    });
    expect(truncateEvent(event, 10)).toBeUndefined();
  });
});
