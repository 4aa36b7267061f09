import { expect, test } from 'vitest';
import { startTestServer } from '../server.fixture.js';

const path = '/apis/apps/v1/namespaces/default/deployments';
const deployment = (name: string, replicas: string, more = '') => `{"apiVersion":"apps/v1","kind":"Deployment",
  "metadata":{"name":"${name}","annotations":{"note":"a:1.0"}},"spec":{"replicas":${replicas}${more},
  "selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},
  "spec":{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":0.50,"memory":1e3}}}]}}}}`;

test.each([
  ['1.0', 'DeploymentSpec.spec.replicas of type int32'],
  ['1e2', 'DeploymentSpec.spec.replicas of type int32'],
])('an integer field does not take %s in JSON, and does in YAML and in patches', async (literal, where) => {
  const { call } = await startTestServer();
  const refused = await call('POST', path, deployment('web', literal));
  const why = `Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal number ${literal} into Go struct field ${where}`;
  expect([refused.status, refused.body.message]).toEqual([400, why]);
  const yaml = await call('POST', path, deployment('web', literal), { 'content-type': 'application/yaml' });
  expect([yaml.status, yaml.body.spec.replicas]).toEqual([201, Number(literal)]);
  const update = await call('PUT', `${path}/web`, deployment('web', literal));
  expect(update.status).toBe(400);
  const type = 'application/strategic-merge-patch+json';
  const patch = await call('PATCH', `${path}/web`, '{"spec":{"replicas":3.0}}', { 'content-type': type });
  expect([patch.status, patch.body.spec.replicas]).toEqual([200, 3]);
});

test('quantities are read as they are written', async () => {
  const { call } = await startTestServer();
  const { status, body } = await call('POST', path, deployment('web', '1'));
  expect([status, body.spec.template.spec.containers[0].resources.requests]).toEqual([
    201,
    { cpu: '500m', memory: '1e3' },
  ]);
});
