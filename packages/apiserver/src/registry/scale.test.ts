import { describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../server.fixture.js';

const deployments = '/apis/apps/v1/namespaces/default/deployments';
const scale = `${deployments}/web/scale`;
const apply = { 'content-type': 'application/apply-patch+yaml' };
const scaleTo = (replicas: number) => ({ apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas } });

async function withDeployment(): Promise<TestServer> {
  const server = await startTestServer();
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const spec = { replicas: 2, selector: { matchLabels: labels }, template };
  await server.call('POST', `${deployments}?fieldManager=me`, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec,
  });
  return server;
}

describe('server-side apply of a Scale', () => {
  test('PATCH-07 is refused when another field manager owns replicas', async () => {
    const { call } = await withDeployment();
    const { body } = await call('PATCH', `${scale}?fieldManager=hpa`, scaleTo(5), apply);
    expect(body).toMatchObject({
      code: 409,
      reason: 'Conflict',
      details: { causes: [{ reason: 'FieldManagerConflict', field: '.spec.replicas' }] },
    });
  });

  test('PATCH-07 takes over replicas when forced, and becomes its field manager', async () => {
    const { call } = await withDeployment();
    const { status, body } = await call('PATCH', `${scale}?fieldManager=hpa&force=true`, scaleTo(5), apply);
    expect(status).toBe(200);
    expect(body).toMatchObject({ kind: 'Scale', spec: { replicas: 5 }, status: { selector: 'app=web' } });
    const { body: deployment } = await call('GET', `${deployments}/web`);
    expect(deployment.spec.replicas).toBe(5);
    expect(deployment.metadata.managedFields).toContainEqual({
      manager: 'hpa',
      operation: 'Apply',
      apiVersion: 'apps/v1',
      subresource: 'scale',
      time: expect.any(String),
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': { 'f:replicas': {} } },
    });
  });

  test('a dry run reports the result and changes nothing', async () => {
    const { call } = await withDeployment();
    const { body } = await call('PATCH', `${scale}?fieldManager=hpa&force=true&dryRun=All`, scaleTo(5), apply);
    expect(body.spec.replicas).toBe(5);
    expect((await call('GET', scale)).body.spec.replicas).toBe(2);
  });

  test.each([
    ['something else', { ...scaleTo(5), kind: 'Deployment' }, 'web', 400],
    ['another name', { ...scaleTo(5), metadata: { name: 'other' } }, 'web', 400],
    ['an object that is not there', scaleTo(5), 'none', 404],
  ])('refuses %s', async (_name, config, name, code) => {
    const { call } = await withDeployment();
    const path = `${deployments}/${name}/scale?fieldManager=hpa&force=true`;
    expect((await call('PATCH', path, config, apply)).status).toBe(code);
  });
});

test.each([
  ['application/merge-patch+json', { spec: { replicas: 7 } }],
  ['application/json-patch+json', [{ op: 'replace', path: '/spec/replicas', value: 7 }]],
])('a Scale is also changed by %s', async (type, patch) => {
  const { call } = await withDeployment();
  expect((await call('PATCH', scale, patch, { 'content-type': type })).body.spec.replicas).toBe(7);
});

test('a strategic merge patch of a Scale may state the kind of the scaled object', async () => {
  const { call } = await withDeployment();
  const type = { 'content-type': 'application/strategic-merge-patch+json' };
  const patch = { kind: 'Deployment', apiVersion: 'apps/v1', metadata: { name: 'web' }, spec: { replicas: 7 } };
  const { status, body } = await call('PATCH', scale, patch, type);
  expect(status).toBe(200);
  expect(body).toMatchObject({ kind: 'Scale', apiVersion: 'autoscaling/v1', spec: { replicas: 7 } });
  const merge = await call('PATCH', scale, patch, { 'content-type': 'application/merge-patch+json' });
  expect(merge.body).toMatchObject({ code: 400, reason: 'BadRequest' });
});
