import { expect, test } from 'vitest';
import { startTestServer } from '../../server.fixture.js';

const rules = '/apis/resource.k8s.io/v1beta2/devicetaintrules';

test('the taint of a rule has the time of its creation, and its status has a separate endpoint', async () => {
  const { call } = await startTestServer({ runtimeConfig: { 'resource.k8s.io/v1beta2': true } });
  const spec = { deviceSelector: { driver: 'd.example.com' }, taint: { key: 'a', effect: 'NoExecute' } };
  const conditions = [{ type: 'EvictionInProgress', status: 'True' }];
  const { status, body } = await call('POST', rules, { metadata: { name: 'r' }, spec, status: { conditions } });
  expect([status, body.metadata.generation, body.status]).toEqual([201, 1, {}]);
  expect(body.spec.taint.timeAdded).toBe(body.metadata.creationTimestamp);

  const changed = { ...body, spec: { ...spec, taint: { ...body.spec.taint, effect: 'NoSchedule' } } };
  const updated = await call('PUT', `${rules}/r`, { ...changed, status: { conditions } });
  expect(updated.body).toMatchObject({ metadata: { generation: 2 }, status: {}, spec: changed.spec });
  expect(updated.body.status).toEqual({});
});
