import { refs } from '@coracle/api';
import { isConflict, isNotFound, reasonOf, type WatchEvent } from '@coracle/apimachinery';
import { nextTurn } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { createClient } from './create-client.js';
import { MemoryApi } from './memory-api.fixture.js';

const user = { name: 'tester', groups: ['system:masters'] };
const pod = (name: string) => ({ metadata: { name, namespace: 'default' } });

const ways = [
  { name: 'in process', options: { user } },
  { name: 'over bytes', options: {} },
];

describe.each(ways)('a client $name', ({ options }) => {
  function connected() {
    const api = new MemoryApi();
    return { api, client: createClient({ transport: api, userAgent: 'test', ...options }) };
  }

  test('RC-4 CS-2 writes and reads an object under its typed accessor', async () => {
    const { client } = connected();
    const created = await client.pods('default').create(pod('web'));
    expect(await client.pods('default').get('web')).toEqual(created);
    expect(created).toMatchObject({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' } });
  });

  test('RC-5 rebuilds failures from the wire', async () => {
    const { client } = connected();
    await expect(client.pods('default').get('none')).rejects.toSatisfy(isNotFound);
    await client.pods('default').create(pod('web'));
    await expect(
      client.pods('default').update({ metadata: { ...pod('web').metadata, resourceVersion: '1' } }),
    ).rejects.toSatisfy(isConflict);
  });

  test('LW-11 lists page by page as one sequence', async () => {
    const { client } = connected();
    for (const name of ['a', 'b', 'c', 'd', 'e']) await client.pods('default').create(pod(name));
    const names: (string | undefined)[] = [];
    for await (const { metadata } of client.pods().listAll({ pageSize: 2 })) names.push(metadata.name);
    expect(names).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test('LW-3 watches as a loop, which closes the watch when it is left', async () => {
    const { api, client } = connected();
    await client.pods('default').create(pod('old'));
    const seen: string[] = [];
    for await (const event of client.pods('default').watch()) {
      seen.push(describeEvent(event));
      if (seen.length === 1) await client.pods('default').create(pod('new'));
      if (seen.length === 2) await client.pods('default').delete('new');
      if (seen.length === 3) break;
    }
    expect({ seen, watchers: api.watchers }).toEqual({
      seen: ['ADDED old', 'ADDED new', 'DELETED new'],
      watchers: 0,
    });
  });

  test('a watch that the server closes ends the loop', async () => {
    const { api, client } = connected();
    const loop = (async () => {
      for await (const _ of client.pods('default').watch());
      return 'ended';
    })();
    await nextTurn();
    api.closeWatches();
    expect(await loop).toBe('ended');
  });

  test('a watch that the server refuses throws its failure', async () => {
    const { api, client } = connected();
    api.put('/api/v1/namespaces/default/pods/a', pod('a'));
    api.compact();
    const iterator = client.pods('default').watch({ resourceVersion: '5' })[Symbol.asyncIterator]();
    await expect(iterator.next()).rejects.toSatisfy((error) => reasonOf(error) === 'Expired');
  });

  test('an aborted signal ends the watch with its reason', async () => {
    const { api, client } = connected();
    const aborter = new AbortController();
    const next = client.pods('default').watch({ signal: aborter.signal })[Symbol.asyncIterator]().next();
    await nextTurn();
    aborter.abort(new Error('enough'));
    await expect(next).rejects.toThrow('enough');
    await nextTurn();
    expect(api.watchers).toBe(0);
  });

  test('no callback is called after a pushed watch is disposed', async () => {
    const { api, client } = connected();
    const seen: string[] = [];
    const watch = client
      .pods('default')
      .openWatch({}, { event: (event) => seen.push(describeEvent(event)), end: () => seen.push('end') });
    await nextTurn();
    api.put('/api/v1/namespaces/default/pods/a', pod('a'));
    watch[Symbol.dispose]();
    api.put('/api/v1/namespaces/default/pods/b', pod('b'));
    await nextTurn();
    expect(seen).toEqual(['ADDED a']);
  });
});

describe('the requests of a client', () => {
  const cases = [
    {
      name: 'a merge patch with its content type',
      act: (client: ReturnType<typeof createClient>) =>
        client.pods('ns').patch('web', { metadata: {} }, { type: 'merge', fieldManager: 'me', dryRun: true }),
      request: {
        method: 'PATCH',
        path: '/api/v1/namespaces/ns/pods/web',
        query: 'dryRun=All&fieldManager=me',
        contentType: 'application/merge-patch+json',
      },
    },
    {
      name: 'an apply with force',
      act: (client: ReturnType<typeof createClient>) =>
        client.deployments('ns').apply({ metadata: { name: 'web' } }, { fieldManager: 'me', force: true }),
      request: {
        method: 'PATCH',
        path: '/apis/apps/v1/namespaces/ns/deployments/web',
        query: 'fieldManager=me&force=true',
        contentType: 'application/apply-patch+yaml',
      },
    },
    {
      name: 'selectors, encoded',
      act: (client: ReturnType<typeof createClient>) => client.nodes().list({ labelSelector: 'a in (b,c)', limit: 3 }),
      request: { method: 'GET', path: '/api/v1/nodes', query: 'labelSelector=a%20in%20(b%2Cc)&limit=3' },
    },
    {
      name: 'the status subresource',
      act: (client: ReturnType<typeof createClient>) => client.pods().updateStatus(pod('web')),
      request: {
        method: 'PUT',
        path: '/api/v1/namespaces/default/pods/web/status',
        query: '',
        contentType: 'application/json',
      },
    },
    {
      name: 'a deletion with options in its body',
      act: (client: ReturnType<typeof createClient>) => client.pods('ns').delete('web', { gracePeriodSeconds: 0 }),
      request: { method: 'DELETE', path: '/api/v1/namespaces/ns/pods/web', query: '', contentType: 'application/json' },
    },
  ];

  test.each(cases)('$name', async ({ act, request }) => {
    const api = new MemoryApi();
    await act(createClient({ transport: api })).catch(() => undefined);
    const [sent] = api.requests;
    const { method, path, query, headers } = sent!;
    const contentType = headers['content-type'];
    expect({ method, path, query, ...(contentType && { contentType }) }).toEqual(request);
  });

  test('in process: the user, the request for values, and the value itself', async () => {
    const api = new MemoryApi();
    const body = { ...pod('web'), apiVersion: 'v1', kind: 'Pod' };
    await createClient({ transport: api, user }).pods('default').create(body);
    const [sent] = api.requests;
    expect(sent?.peer).toEqual({ user });
    expect(sent?.body).toEqual({ kind: 'value', value: body });
    expect(sent?.body?.kind === 'value' && sent.body.value).toBe(body);
  });

  test.each([
    {
      name: 'no name',
      act: (c: ReturnType<typeof createClient>) => c.pods('ns').get(''),
      message: /name may not be empty/,
    },
    {
      name: 'no namespace',
      act: (c: ReturnType<typeof createClient>) => c.pods().get('web'),
      message: /empty namespace/,
    },
    {
      name: 'no namespace to create in',
      act: (c: ReturnType<typeof createClient>) => c.pods().create({ metadata: { name: 'x' } }),
      message: /during creation/,
    },
  ])('DY-3 no retries when there is $name', async ({ act, message }) => {
    const api = new MemoryApi();
    await expect(act(createClient({ transport: api }))).rejects.toThrow(message);
    expect(api.requests).toEqual([]);
  });
});

test('RC-6 a response without a Status becomes a failure by its code', async () => {
  const exchange = async () => ({
    status: 503,
    headers: { 'content-type': 'text/plain', 'retry-after': '7' },
    body: { kind: 'bytes' as const, chunks: [new TextEncoder().encode('upstream is down')] },
  });
  const failure = await createClient({ transport: { exchange } })
    .resource(refs.nodes)
    .get('a')
    .catch((error) => error.status);
  expect(failure).toMatchObject({
    code: 503,
    reason: 'ServiceUnavailable',
    message: 'the server is currently unable to handle the request',
    details: { retryAfterSeconds: 7, causes: [{ message: 'upstream is down' }] },
  });
});

test('reports warnings', async () => {
  const warnings: string[] = [];
  const exchange = async () => ({
    status: 200,
    headers: { warning: ['299 - "old, \\"very\\" old"', '299 agent "b"'] },
    body: { kind: 'empty' as const },
  });
  await createClient({ transport: { exchange }, onWarning: (text) => warnings.push(text) }).raw('GET', '/version');
  expect(warnings).toEqual(['old, "very" old', 'b']);
});

function describeEvent(event: WatchEvent<{ metadata: { name?: string } }>): string {
  return event.type === 'ERROR' ? `ERROR ${event.object.reason}` : `${event.type} ${event.object.metadata.name}`;
}
