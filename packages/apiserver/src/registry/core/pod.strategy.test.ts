import { describe, expect, test } from 'vitest';
import { startTestServer } from '../../server.fixture.js';

const pods = '/api/v1/namespaces/default/pods';

const mergePatch = { 'content-type': 'application/merge-patch+json' };

const pod = (spec: object) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', labels: { app: 'web', hash: '1' } },
  spec: { automountServiceAccountToken: false, containers: [container], ...spec },
});
const container = { name: 'c', image: 'a', resources: { requests: { cpu: '1' }, limits: { cpu: '2', memory: '1Gi' } } };

async function startWithAccount() {
  const server = await startTestServer();
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
  await server.call('POST', '/api/v1/namespaces/default/serviceaccounts', account);
  return server;
}

describe('a new pod', () => {
  test('is spread among those with its own values of matchLabelKeys', async () => {
    const { call } = await startWithAccount();
    const constraint = {
      maxSkew: 1,
      topologyKey: 'zone',
      whenUnsatisfiable: 'DoNotSchedule',
      matchLabelKeys: ['hash', 'absent'],
      labelSelector: { matchLabels: { app: 'web' } },
    };
    const { body } = await call('POST', pods, pod({ topologySpreadConstraints: [constraint] }));
    expect(body.spec.topologySpreadConstraints[0].labelSelector).toEqual({
      matchLabels: { app: 'web' },
      matchExpressions: [{ key: 'hash', operator: 'In', values: ['1'] }],
    });
  });

  test('has no sources rather than an empty list of them', async () => {
    const { call } = await startWithAccount();
    const { body } = await call('POST', pods, pod({ volumes: [{ name: 'v', projected: { sources: [] } }] }));
    expect(body.spec.volumes[0].projected.sources).toBeNull();
  });
});

describe('conditions that the server sets', () => {
  test('have null for absent times: of a gated pod', async () => {
    const { call } = await startWithAccount();
    const { body } = await call('POST', pods, pod({ schedulingGates: [{ name: 'g' }] }));
    expect(body.status.conditions).toMatchObject([
      { type: 'PodScheduled', status: 'False', lastProbeTime: null, lastTransitionTime: null },
    ]);
  });

  test('have null for absent times: of a bound pod', async () => {
    const { call } = await startWithAccount();
    await call('POST', pods, pod({}));
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'p' }, target: { kind: 'Node', name: 'n' } };
    await call('POST', `${pods}/p/binding`, binding);
    const { body } = await call('GET', `${pods}/p`);
    expect(body.status.conditions).toMatchObject([
      { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: expect.any(String) },
    ]);
  });
});

describe('the endpoint for sizes', () => {
  test('changes resources and nothing else', async () => {
    const { call } = await startWithAccount();
    await call('POST', pods, pod({}));
    const resources = { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '2', memory: '512Mi' } };
    const smaller = { ...resources, requests: { ...resources.requests, memory: '512Mi' } };
    const change = pod({ hostname: 'other', containers: [{ ...container, image: 'b', resources: smaller }] });
    const { status, body } = await call('PUT', `${pods}/p/resize`, change);
    expect(status).toBe(200);
    expect(body.spec.containers[0]).toMatchObject({ image: 'a', resources: smaller });
    expect(body.spec).not.toHaveProperty('hostname');
  });

  test.each(['resize', 'ephemeralcontainers', 'status'])('%s changes no owner references', async (endpoint) => {
    const { call } = await startWithAccount();
    await call('POST', pods, pod({}));
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: '1' }];
    const { status, body } = await call(
      'PATCH',
      `${pods}/p/${endpoint}`,
      { metadata: { ownerReferences } },
      mergePatch,
    );
    expect([status, body.metadata.ownerReferences]).toEqual([200, undefined]);
  });

  test.each(['resize', 'ephemeralcontainers'])('%s changes no labels, annotations or finalizers', async (endpoint) => {
    const { call } = await startWithAccount();
    await call('POST', pods, { ...pod({}), metadata: { name: 'p', labels: { own: '1' } } });
    const metadata = { labels: { own: '2', other: '1' }, annotations: { a: 'b' }, finalizers: ['a.b/c'] };
    const { status, body } = await call('PATCH', `${pods}/p/${endpoint}`, { metadata }, mergePatch);
    expect(status).toBe(200);
    const { labels, annotations, finalizers } = body.metadata;
    expect({ labels, annotations, finalizers }).toEqual({ labels: { own: '1' } });
    expect(JSON.stringify(body.metadata.managedFields)).not.toContain('f:other');
  });

  test('needs the same containers in the same order', async () => {
    const { call } = await startWithAccount();
    await call('POST', pods, pod({}));
    const { status, body } = await call(
      'PUT',
      `${pods}/p/resize`,
      pod({ containers: [container, { ...container, name: 'd' }] }),
    );
    expect(status).toBe(422);
    expect(body.message).toContain('spec.containers: Forbidden: containers may not be added or removed on resize');
  });
});
