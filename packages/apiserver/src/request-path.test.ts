import { badRequest, type KubeObject } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import type { AdmissionAttributes, AdmissionPlugin } from './admission/admission.js';
import { noAnonymous } from './authentication/no-anonymous.js';
import { startTestServer } from './server.fixture.js';

const configMaps = '/api/v1/namespaces/default/configmaps';
const pods = '/api/v1/namespaces/default/pods';

/** Two plugins that record their calls. */
async function startNoting(refuse?: AdmissionPlugin['validate']) {
  const notes: string[] = [];
  const seen: AdmissionAttributes[] = [];
  const plugin = (name: string): AdmissionPlugin => ({
    name,
    handles: () => true,
    concerns: ({ user }) => !user.name.startsWith('system:'),
    mutate: (attributes) => {
      notes.push(`${name} mutates ${attributes.operation}`);
      const { metadata } = attributes.object ?? ({ metadata: {} } as KubeObject);
      metadata.labels = { ...metadata.labels, [name]: 'was-here' };
    },
    validate: (attributes) => {
      notes.push(`${name} validates ${attributes.operation}`);
      seen.push(attributes);
      return refuse?.(attributes);
    },
  });
  const server = await startTestServer({ admission: () => [plugin('first'), plugin('second')] });
  notes.length = 0;
  seen.length = 0;
  return { ...server, notes, seen };
}

const stepsOf = (operation: string) => [
  `first mutates ${operation}`,
  `second mutates ${operation}`,
  `first validates ${operation}`,
  `second validates ${operation}`,
];

describe('FLOW-19 WRITE-17 the steps of a write', () => {
  test('mutating plugins run, then validating ones, before the object is stored', async () => {
    const { call, notes } = await startNoting();
    const { body } = await call('POST', configMaps, { metadata: { name: 'a' } });
    expect(notes).toEqual(stepsOf('CREATE'));
    expect(body.metadata.labels).toEqual({ first: 'was-here', second: 'was-here' });
  });

  test('WRITE-18 they validate it as it will be stored, with its name and its defaults', async () => {
    const { call, seen } = await startNoting();
    await call('POST', pods, { metadata: { generateName: 'p-' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
    expect(seen[0]?.object).toMatchObject({
      metadata: { name: expect.stringMatching(/^p-.{5}$/), uid: expect.any(String) },
      spec: { restartPolicy: 'Always' },
      status: { phase: 'Pending' },
    });
  });

  test('WRITE-17 validating admission does not run for an invalid object', async () => {
    const { call, notes } = await startNoting();
    expect((await call('POST', configMaps, { metadata: { name: 'A_B' } })).status).toBe(422);
    expect(notes).toEqual(stepsOf('CREATE').slice(0, 2));
  });

  test('WRITE-13 WRITE-14 a PUT that creates an object is a create, and one that changes it an update', async () => {
    const { call, notes, seen } = await startNoting();
    const lease = '/apis/coordination.k8s.io/v1/namespaces/default/leases/a';
    const made = await call('PUT', lease, { metadata: { name: 'a' } });
    const changed = await call('PUT', lease, { ...made.body, spec: { holderIdentity: 'me' } });
    expect([made.status, changed.status]).toEqual([201, 200]);
    expect(notes).toEqual([...stepsOf('CREATE'), ...stepsOf('UPDATE')]);
    expect(seen.map(({ oldObject }) => oldObject !== undefined)).toEqual([false, false, true, true]);
  });

  test('DEL-14 admission of a deletion gets the old object, and can reject it', async () => {
    const { call, seen } = await startNoting(({ operation }) => {
      if (operation === 'DELETE') throw badRequest('it is needed');
    });
    await call('POST', configMaps, { metadata: { name: 'a' } });
    seen.length = 0;
    expect((await call('DELETE', `${configMaps}/a`)).body.message).toBe('it is needed');
    expect(seen.map(({ object, oldObject }) => [object, oldObject?.metadata.name])).toEqual([[undefined, 'a']]);
    expect((await call('GET', `${configMaps}/a`)).status).toBe(200);
  });

  test('STORE-25 plugins get the dryRun of a request', async () => {
    const { call, seen } = await startNoting();
    await call('POST', `${configMaps}?dryRun=All`, { metadata: { name: 'a' } });
    expect(seen.map(({ dryRun }) => dryRun)).toEqual([true, true]);
    expect((await call('GET', `${configMaps}/a`)).status).toBe(404);
  });

  test('WRITE-06 a namespace is in itself', async () => {
    const { call, seen } = await startNoting();
    await call('POST', '/api/v1/namespaces', { metadata: { name: 'team' } });
    expect(seen[0]).toMatchObject({ namespace: 'team', name: 'team' });
  });

  test('WRITE-19 admission is not called for a read', async () => {
    const { call, notes, watch } = await startNoting();
    await call('GET', configMaps);
    await call('GET', `${configMaps}/a`);
    (await watch(`${configMaps}?watch=1`)).stop();
    expect(notes).toEqual([]);
  });
});

describe('WRITE-11 PATCH-04 the field manager is', () => {
  test.each([
    ['whom the request names', '?fieldManager=me', 'kubectl/v1.36 (linux)', 'me'],
    ['the program, by its user agent', '', 'kubectl/v1.36 (linux)', 'kubectl'],
    ['the whole user agent if it has no version', '', 'my tool', 'my tool'],
  ])('%s', async (_name, query, agent, manager) => {
    const { call } = await startTestServer();
    const config = { metadata: { name: 'a' }, data: { k: 'v' } };
    const { body } = await call('POST', `${configMaps}${query}`, config, { 'user-agent': agent });
    expect(body.metadata.managedFields).toMatchObject([{ manager, operation: 'Update', apiVersion: 'v1' }]);
  });
});

describe('FILTER-01 the first steps of a request', () => {
  const forbidding = { name: 'none', authorize: () => ({ kind: 'deny', reason: 'no' }) as const };

  test.each([
    ['a bad timeout before who it is', { authenticators: () => [noAnonymous] }, `${configMaps}?timeout=x`, 400],
    ['ERR-03 who it is before where it goes', { authenticators: () => [noAnonymous] }, '/api/v1/nothing', 401],
    [
      'who it is before whether it may',
      { authenticators: () => [noAnonymous], authorizer: () => forbidding },
      configMaps,
      401,
    ],
    ['ERR-04 whether it may before where it goes', { authorizer: () => forbidding }, '/api/v1/nothing', 403],
    ['whether it may before what it says', { authorizer: () => forbidding }, `${configMaps}?limit=x`, 403],
    ['where it goes before what it says', {}, '/api/v1/nothing?limit=x', 404],
  ])('%s', async (_name, options, path, status) => {
    const { call } = await startTestServer(options);
    const answer = await call('GET', path);
    expect(answer.status).toBe(status);
    expect(answer.headers['audit-id']).toBeDefined();
  });
});

describe('FLOW-03 FLOW-04 FLOW-05 FLOW-07 FLOW-08 FLOW-11 FLOW-12 the nine steps of a pod in the server', () => {
  test('it is stored, watched by the scheduler, bound, watched by its node, and its status is stored', async () => {
    const { call, watch } = await startTestServer();
    const scheduler = await watch('/api/v1/pods?watch=1&fieldSelector=spec.nodeName%3D');
    const kubelet = await watch('/api/v1/pods?watch=1&fieldSelector=spec.nodeName%3Dn');
    await call('POST', pods, { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
    expect(scheduler.events.map(({ type }) => type)).toEqual(['ADDED']);
    expect(kubelet.events).toEqual([]);
    const bound = await call('POST', `${pods}/p/binding`, { metadata: { name: 'p' }, target: { name: 'n' } });
    expect(bound.status).toBe(201);
    expect(scheduler.events.map(({ type }) => type)).toEqual(['ADDED', 'DELETED']);
    expect(kubelet.events.map(({ type, object }) => [type, object.spec.nodeName])).toEqual([['ADDED', 'n']]);
    const status = { phase: 'Running', podIP: '10.0.0.1' };
    await call('PATCH', `${pods}/p/status`, { status }, { 'content-type': 'application/merge-patch+json' });
    expect((await call('GET', `${pods}/p`)).body).toMatchObject({ spec: { nodeName: 'n' }, status });
  });
});
