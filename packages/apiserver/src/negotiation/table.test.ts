import { describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../server.fixture.js';

const asTable = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
const pods = '/api/v1/namespaces/default/pods';

async function withPods(...names: readonly string[]): Promise<TestServer> {
  const server = await startTestServer();
  for (const name of names) {
    const spec = { containers: [{ name: 'app', image: 'nginx' }] };
    await server.call('POST', pods, { metadata: { name }, spec });
  }
  return server;
}

describe('a table', () => {
  test('STORE-11 has the columns of the kind and a row for each object', async () => {
    const { call } = await withPods('a', 'b');
    const { body } = await call('GET', pods, undefined, asTable);
    expect(body.columnDefinitions.slice(0, 2)).toMatchObject([
      { name: 'Name', type: 'string', format: 'name', priority: 0 },
      { name: 'Ready', type: 'string', format: '', priority: 0 },
    ]);
    expect(body.rows.map((row: { cells: unknown }) => row.cells)).toEqual([
      ['a', '0/1', 'Pending', '0', '0s', '<none>', '<none>', '<none>', '<none>'],
      ['b', '0/1', 'Pending', '0', '0s', '<none>', '<none>', '<none>', '<none>'],
    ]);
    expect(body.metadata.resourceVersion).toMatch(/^\d+$/);
  });

  test('reports ages at the current time, and is the same for any request', async () => {
    const { call, clock } = await withPods('a');
    const ageIn = async (path: string) => (await call('GET', path, undefined, asTable)).body.rows[0].cells[4];
    expect(await ageIn(pods)).toBe('0s');
    await clock.advance(90_000);
    for (const path of [pods, `${pods}?pretty=true`, `${pods}/a`]) expect(await ageIn(path)).toBe('90s');
  });

  test('shows an object again when it has changed', async () => {
    const { call } = await withPods('a');
    await call('GET', pods, undefined, asTable);
    const patch = { status: { phase: 'Succeeded' } };
    await call('PATCH', `${pods}/a/status`, patch, { 'content-type': 'application/merge-patch+json' });
    const { body } = await call('GET', pods, undefined, asTable);
    expect(body.rows[0].cells[2]).toBe('Succeeded');
    expect(body.rows[0].conditions).toMatchObject([{ type: 'Completed', status: 'True', reason: 'Succeeded' }]);
    expect((await call('GET', `${pods}/a`, undefined, asTable)).body.rows[0]).toEqual(body.rows[0]);
  });

  test.each([
    ['', { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'a' } }],
    ['Metadata', { kind: 'PartialObjectMetadata', metadata: { name: 'a' } }],
    ['Object', { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a' }, spec: {} }],
    ['None', null],
  ])('has the part of each object that includeObject=%s requests', async (include, object) => {
    const { call } = await withPods('a');
    for (const path of [pods, `${pods}/a`]) {
      const { body } = await call('GET', `${path}?includeObject=${include}`, undefined, asTable);
      if (object === null) expect(body.rows[0].object).toBeNull();
      else expect(body.rows[0].object).toMatchObject(object);
    }
  });

  test('has the objects in the version that was requested', async () => {
    const { call } = await startTestServer();
    const event = {
      metadata: { name: 'e' },
      involvedObject: { kind: 'Pod', name: 'a', namespace: 'default' },
      reason: 'Pulled',
      message: 'pulled',
      type: 'Normal',
    };
    await call('POST', '/api/v1/namespaces/default/events', event);
    const path = '/apis/events.k8s.io/v1/namespaces/default/events?includeObject=Object';
    const { body } = await call('GET', path, undefined, asTable);
    expect(body.rows[0].cells.slice(1, 4)).toEqual(['Normal', 'Pulled', 'pod/a']);
    expect(body.rows[0].object).toMatchObject({ apiVersion: 'events.k8s.io/v1', note: 'pulled' });
  });

  test('shows a scale, which is not stored', async () => {
    const { call } = await startTestServer();
    const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'app', image: 'nginx' }] } };
    const spec = { replicas: 3, selector: { matchLabels: { app: 'web' } }, template };
    const deployments = '/apis/apps/v1/namespaces/default/deployments';
    await call('POST', deployments, { metadata: { name: 'web' }, spec });
    const { body } = await call('GET', `${deployments}/web/scale`, undefined, asTable);
    expect(body.columnDefinitions.map(({ name }: { name: string }) => name)).toEqual([
      'Name',
      'Desired',
      'Available',
      'Age',
    ]);
    expect(body.rows).toMatchObject([{ cells: ['web', 3, 0, '0s'], object: { kind: 'PartialObjectMetadata' } }]);
  });
});
